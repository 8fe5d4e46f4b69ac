"""Keeps the fuller answer of a scheduler: it forgets jobs, but none was unmade (METHOD §2.10)."""

from __future__ import annotations

from models import formats
from models.formats.allocations import stated
from models.raw.staging import Staging


def is_emptier(staging: Staging, format_name: str) -> bool:
    """Whether a new answer about a cluster and day has fewer rows than the one that is live.

    A scheduler whose accounting was purged answers with fewer jobs than it did before. What
    somebody states (`[[sources]] kind = "allocations"`) is a correction, and may have fewer rows.
    """
    observed = formats.named(format_name).VIEW == "allocations" and format_name != stated.NAME
    return observed and staging.rows < staging.live_rows
