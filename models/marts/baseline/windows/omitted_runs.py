"""Which GPU lineages a baseline leaves out though they ended in its time, in words.

Grain: workload × kind × since, as `baseline_window`. `omitted` counts them and says what they
cost, in dollars on the configured basis: those that ended in the window, or among the lineages that
stand in for it.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.rules.kinds_of_work import KIND, KIND_SINCE
from models.marts.baseline.windows.ended_runs import ended_runs


def baseline_omissions(
    lineage_facts: ir.Table, comparable: ir.Table, baseline_window: ir.Table, settings: Settings
) -> ir.Table:
    """`workload`, `kind`, `since`, `omitted`: only where something is left out."""
    ended = ended_runs(lineage_facts, comparable)
    ends = ended.select("workload", "lineage", "ended_on")
    stood = baseline_window.join(ends, ["workload", "lineage"])
    spans = stood.group_by(KIND_SINCE).agg(first=stood.ended_on.min(), last=stood.ended_on.max())
    pairs = spans.join(ended.filter(ended.omitted.notnull()), KIND)
    begin = pairs.since - ibis.interval(days=settings.baseline.window_days)
    inside = (pairs.ended_on <= pairs.since) & (pairs.ended_on > begin.cast("timestamp").date())
    among = (pairs.ended_on >= pairs["first"]) & (pairs.ended_on <= pairs["last"])
    return in_words(pairs.filter(inside | among), KIND_SINCE)


def in_words(rows: ir.Table, keys: list[str]) -> ir.Table:
    """`keys` and `omitted`: how many of `rows` are left out, for what, and their dollars."""
    kinds = rows.group_by(*keys, why="omitted").agg(number=rows.count(), cost=rows.cost.sum())
    one = kinds.number == 1
    dollars = kinds.cost.cast("decimal(38, 2)").cast("string")
    noun = ibis.ifelse(one, " GPU run ", " GPU runs ") + kinds.why
    verb = ibis.ifelse(one, ") is left out", ") are left out")
    told = kinds.mutate(
        told=ibis.literal("; ") + kinds.number.cast("string") + noun + " ($" + dollars + verb
    )
    return told.group_by(keys).agg(omitted=told.told.collect(order_by=told.told).join(""))
