"""What a workload saved in its newest weeks, and how many lineages did it (METHOD §6.4)."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.money import known_sum
from models.contract.portfolio import PORTFOLIO
from models.contract.rules.recent_weeks import WEEKS, in_recent_weeks

KEYS = ["workload", "cutoff"]


def recent_net_saving(rows: ir.Table, cutoffs: ir.Table, credited_daily: ir.Table) -> ir.Table:
    """Sums each workload's net saving over the newest weeks up to each cutoff date.

    `recent_net` counts from the start of the twelfth-last week with a production day.
    `last_weeks_net` is of the last 84 days, `saved_epochs` of all days with a known saving.
    """
    days = _production_days(credited_daily)
    worked = days.select("workload", week=days.date.truncate("W")).distinct()
    weeks = cutoffs.join(worked, "workload").filter(lambda row: row.week <= row.cutoff)
    order = ibis.window(group_by=KEYS, order_by=ibis.desc(weeks.week))
    recent = weeks.mutate(rank=ibis.row_number().over(order)).filter(lambda row: row.rank < WEEKS)
    begin = recent.group_by(KEYS).agg(begin=recent.week.min())
    paced = rows.join(begin, KEYS)
    inside = paced.date.cast("timestamp") >= paced.begin.cast("timestamp")
    return paced.group_by(KEYS).agg(
        recent_net=known_sum(paced.net_saving, where=inside),
        last_weeks_net=known_sum(paced.net_saving, where=in_recent_weeks(paced)),
        saved_epochs=paced.saved_epochs.sum(),
    )


def production_lineages(cutoffs: ir.Table, credited_daily: ir.Table) -> ir.Table:
    """Counts lineages that worked in production on Trainium up to each cutoff, and lately."""
    done = cutoffs.join(_production_days(credited_daily), "workload").filter(
        lambda row: row.date <= row.cutoff
    )
    each = done.group_by(*KEYS, "lineage").agg(date=done.date.max())
    return each.group_by(KEYS).agg(
        lineages=each.count(),
        recent_lineages=each.count(where=in_recent_weeks(each)),
        last_worked=each.date.max(),
    )


def _production_days(credited_daily: ir.Table) -> ir.Table:
    """Lists settled days on which production lineages worked on Trainium, also as portfolio's."""
    worked = credited_daily.filter(credited_daily.settled & credited_daily.active)
    worked = worked.select("workload", "lineage", "date")
    everyone = worked.select(
        workload=ibis.literal(PORTFOLIO),
        lineage=worked.workload + "/" + worked.lineage,
        date="date",
    )
    return worked.union(everyone)
