"""Says why what was saved at the volume trained before the move is unknown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dashboard.wording.format import count
from models.contract.rules.work.old_pace import LEAST_DAYS

Row = dict[str, Any]
MOST_NAMED = 2


def why_no_pace(kinds: Sequence[Row]) -> str:
    """Says which recipes lack a GPU pace before the move, and why; names at most two."""
    named = [f"{_name(row)} had {_lacks(row)}" for row in kinds[:MOST_NAMED]]
    more = [f"{len(kinds) - MOST_NAMED} more"] if len(kinds) > MOST_NAMED else []
    takes = f"a pace needs {LEAST_DAYS} days and `baseline.min_runs` GPU runs"
    return f"unknown, because {'; '.join([*named, *more])} ({takes})."


def _lacks(row: Row) -> str:
    """Says how many GPU runs, over how many days, a recipe had before the move."""
    if not row["gpu_runs"]:
        return "no GPU run before its move"
    return f"{count(row['gpu_runs'], 'GPU run')} over {count(row['gpu_days'], 'day')} before it"


def _name(row: Row) -> str:
    return f"{row['workload']}, {row['recipe']}," if row["recipe"] else str(row["workload"])
