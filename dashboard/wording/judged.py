"""Says how much of the Trainium spend a headline is about, and what would judge the rest."""

from __future__ import annotations

from typing import Any

from dashboard.wording.format import GAP, cents, count, dollars, percent, plain
from dashboard.wording.units import words

Row = dict[str, Any]
WHAT_IS_JUDGED = (
    "The part of what production on Trainium cost that can be held against GPU runs. Every saving "
    "here is about that part alone."
)


def judged_share(standing: Row) -> str | None:
    """Says the judged share in a few words; None where nothing was spent or a cost is unknown."""
    share = standing.get("covered_share")
    return None if share is None else f"{percent(share)} of Trainium spend"


def judged_sentence(standing: Row) -> str | None:
    """Says how much is judged, lately too, and what it would cost to judge more."""
    share, recent = standing.get("covered_share"), standing.get("covered_share_recent")
    if share is None:
        return None
    same = recent is None or percent(recent) == percent(share)
    lately = "" if same else f", {percent(recent)} in the last 84{GAP}days"
    cost = standing.get("cost_to_know")
    more = f" {dollars(cost)} of GPU runs would judge more." if cost else ""
    return f"{percent(share)} of Trainium spend is held against GPU{lately}.{more}"


def remedy(row: Row) -> str:
    """Says what would judge a kind of work: more GPU runs and what they cost, or a benchmark."""
    if not row["gpu_runs"]:
        return "no GPU run to go by: run a benchmark on each side"
    unit = words(row["unit"])
    runs = f"{count(row['missing_runs'], 'more GPU run')} of at least"
    return f"{runs} {plain(row['least_work'])} {unit.many}: about ${cents(row['cost_to_know'])}"
