"""The note in a baseline's reason on work credited for a result: its text, and how to find it.

How results are credited is in `models.marts.savings.credited_epochs` (METHOD §3.6).
"""

from __future__ import annotations

import re

BEFORE, AFTER = "; a result is credited ", " GPU runs reached the target loss"
_WORK = re.compile(f"{BEFORE}([^:]+): ")


def credited_result(reason: str | None) -> str | None:
    """Finds the work that a result counts for (`14.00 epochs`) in a baseline's reason, else None.

    None if the reason does not say it, because no result counts (METHOD §3.6).
    """
    found = _WORK.search(reason or "")
    return found.group(1) if found else None
