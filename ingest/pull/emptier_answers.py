"""Tells if a scheduler's new delivery of a day lost jobs: the older one stays (METHOD §2.10)."""

from __future__ import annotations

from ingest.allocations.live_days import owners
from models import formats
from models.formats.allocations import stated
from models.raw.staging import Staging


def is_emptier(staging: Staging, format_name: str) -> bool:
    """Whether a scheduler's new delivery of a day has fewer rows and lacks a job of the live one.

    A scheduler whose accounting was purged answers with fewer jobs than it did before. The same
    jobs in fewer rows are better known than before: which machine a node was all the time. What
    somebody states (`[[sources]] kind = "allocations"`) is a correction, and may have fewer jobs.
    """
    observed = formats.named(format_name).VIEW == "allocations" and format_name != stated.NAME
    if not observed or staging.rows >= staging.live_rows:
        return False
    live = staging.zone.current(staging.key)
    if live is None or not live.present:
        return True
    now = owners(staging.folder / file.name for file in staging.files)
    return bool(owners(live.paths) - now)
