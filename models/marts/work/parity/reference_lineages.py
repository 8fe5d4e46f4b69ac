"""Selects the GPU runs whose losses are the reference for Trainium's (METHOD §3.5).

They are the kind's GPU lineages, of every platform, that qualify for a baseline and ended in the
`window_days` up to the newest (`until`); if none had ended by the day, up to the earliest. Those
with less than 0.9 of their median work (`usual_work`) are left out, because a run that was stopped
early does not show how good GPU gets. Example: three lineages ended at 2.00, at 2.00 and, after 2
epochs instead of 10, at 2.60: the reference is 2.00.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.joins import left_join
from models.contract.rules.work.kinds_of_work import KIND

UNTIL = [*KIND, "until"]
"""Lineages that are judged on days with the same newest GPU lineage share their references."""
TENTHS = 9
"""Tenths of the usual work below which a lineage is short."""


def gpu_lineages(lineages: ir.Table) -> ir.Table:
    """Selects ended GPU runs that are comparable and did enough work for a baseline."""
    compares = lineages.comparability == "comparable"
    enough = (lineages.work >= lineages.least_work).fill_null(False)
    rows = lineages.filter(lineages.on_gpu & lineages.ended & compares & enough)
    return rows.select(*KIND, "lineage", "ended_on", "work", "final_loss")


def with_newest(judged: ir.Table, gpu: ir.Table) -> ir.Table:
    """Adds `until`, the end of the window of reference GPU runs; null if the recipe has none."""
    days = judged.select(*KIND, "judged_on").distinct()
    ends = gpu.select(*KIND, "ended_on").distinct()
    pairs = days.join(ends, KIND)
    newest = pairs.ended_on.max(where=pairs.ended_on <= pairs.judged_on)
    until = pairs.group_by(*KIND, "judged_on").agg(until=newest.coalesce(pairs.ended_on.min()))
    return left_join(judged, until, [*KIND, "judged_on"])


def reference_lineages(judged: ir.Table, gpu: ir.Table, window_days: int) -> ir.Table:
    """Lists GPU runs that ended in the window up to each date, without those of little work."""
    pairs = judged.select(UNTIL).distinct().join(gpu, KIND)
    begin = (pairs.until - ibis.interval(days=window_days)).cast("timestamp").date()
    inside = pairs.filter((pairs.ended_on <= pairs.until) & (pairs.ended_on > begin))
    usual = inside.group_by(UNTIL).agg(usual_work=inside.work.median())
    rows = inside.join(usual, UNTIL)
    return rows.filter(~is_short(rows))


def is_short(rows: ir.Table) -> ir.BooleanValue:
    """Returns the condition that a lineage of runs did less than 0.9 of the `usual_work`."""
    return rows.work * 10 < rows.usual_work * TENTHS
