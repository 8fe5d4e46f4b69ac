"""Says how much of the Trainium spend is compared with GPU, and what the rest lacks."""

from __future__ import annotations

from typing import Any

from dashboard.wording.format import GAP, cents, count, dollars, percent, plain
from dashboard.wording.units import words

Row = dict[str, Any]
WHAT_IS_JUDGED = (
    "The part of production spend on Trainium that can be compared with GPU runs. Every saving "
    "here covers only that part."
)


def judged_share(standing: Row) -> str | None:
    """Formats the share of Trainium spend that can be compared with GPU; None if unknown."""
    share = standing.get("covered_share")
    return None if share is None else f"{percent(share)} of Trainium spend"


def judged_sentence(standing: Row) -> str | None:
    """Says which share of Trainium spend can be compared with GPU, and what more would cost."""
    share, recent = standing.get("covered_share"), standing.get("covered_share_recent")
    if share is None:
        return None
    same = recent is None or percent(recent) == percent(share)
    lately = "" if same else f", {percent(recent)} in the last 84{GAP}days"
    cost = standing.get("cost_to_know")
    more = f" GPU runs for about {dollars(cost)} would make more comparable." if cost else ""
    return f"{percent(share)} of Trainium spend can be compared with GPU{lately}.{more}"


def remedy(row: Row) -> str:
    """Says what a recipe needs to be compared: more GPU runs and their cost, or a benchmark."""
    if not row["gpu_runs"]:
        return "no GPU run qualifies: report past runs' progress, or run a benchmark on each side"
    unit = words(row["unit"])
    each = "" if row["missing_runs"] == 1 else "each "
    runs = f"{count(row['missing_runs'], 'more GPU run')}, {each}of at least"
    return f"{runs} {plain(row['least_work'])} {unit.many}: about ${cents(row['cost_to_know'])}"
