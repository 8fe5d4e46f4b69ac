"""The remark what a result is credited, with a target loss: its text in a baseline's reason."""

from __future__ import annotations

import re

BEFORE, AFTER = "; a result is credited ", " GPU runs reached the target loss"
_WORK = re.compile(f"{BEFORE}([^:]+): ")


def credited_result(reason: str | None) -> str | None:
    """Returns what a result is credited, such as `14.00 epochs`, from a baseline's reason.

    None if the reason does not say it, because no result counts (METHOD §3.6).
    """
    found = _WORK.search(reason or "")
    return found.group(1) if found else None
