"""Says in words which ended GPU runs (resumed ones as one) a baseline omits, and what they cost.

`omitted` counts them and states what they cost, in dollars on the configured basis. They are those
that ended in the `window_days` up to the newest or since, or among the lineages of the baseline.
Example: `; 2 GPU runs that never reported ($500.00) are left out`.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.money import cents_text
from models.contract.rules.work.kinds_of_work import KIND, KIND_SINCE
from models.marts.baseline.windows.ended_runs import ended_runs


def omissions(
    lineage_facts: ir.Table, comparable: ir.Table, baseline_window: ir.Table, settings: Settings
) -> ir.Table:
    """Returns per baseline a text: how many ended GPU runs it omits, why, and what they cost.

    A row per workload, kind and `since` where something is left out (METHOD §5.1).
    """
    ended = ended_runs(lineage_facts, comparable)
    ends = ended.select("workload", "lineage", "ended_on")
    members = baseline_window.join(ends, ["workload", "lineage"])
    spans = members.group_by(*KIND_SINCE, "newest")
    spans = spans.agg(first=members.ended_on.min(), last=members.ended_on.max())
    pairs = spans.join(ended.filter(ended.omitted.notnull()), KIND)
    begin = pairs.newest - ibis.interval(days=settings.baseline.window_days)
    inside = (pairs.ended_on <= pairs.since) & (pairs.ended_on > begin.cast("timestamp").date())
    among = (pairs.ended_on >= pairs["first"]) & (pairs.ended_on <= pairs["last"])
    return omissions_in_words(pairs.filter(inside | among), KIND_SINCE)


def omissions_in_words(rows: ir.Table, keys: list[str]) -> ir.Table:
    """Returns per group a text: how many GPU runs are omitted, why, and their cost in dollars."""
    kinds = rows.group_by(*keys, why="omitted").agg(number=rows.count(), cost=rows.cost.sum())
    one = kinds.number == 1
    dollars = cents_text(kinds.cost)
    noun = ibis.ifelse(one, " GPU run ", " GPU runs ") + kinds.why
    verb = ibis.ifelse(one, ") is left out", ") are left out")
    worded = kinds.mutate(
        words=ibis.literal("; ") + kinds.number.cast("string") + noun + " ($" + dollars + verb
    )
    return worded.group_by(keys).agg(omitted=worded.words.collect(order_by=worded.words).join(""))
