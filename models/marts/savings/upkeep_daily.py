"""Spreads the config's monthly upkeep of a migration over days.

An amount a month is spread over the days of each month, from its date to its `until`, else to the
day on which the workload ends. $310 a month are $10 on each day of October. The days of a month add
up to its amount to the ninth place.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.declaration import step
from models.contract.joins import left_join
from models.contract.money import money
from models.contract.schema import MONEY


@step(
    grain="date × workload",
    units="dollars",
    nulls="workload: the portfolio",
    method="§6.1",
    whose="workload",
)
def upkeep_daily(
    config_investments: ir.Table, config_workloads: ir.Table, settings: Settings
) -> ir.Table:
    """Spreads monthly upkeep over days: from its date to `until`, the workload's end or today."""
    entries = config_investments.filter(config_investments.kind == "upkeep")
    entries = left_join(entries, config_workloads.select("workload", "ends"), ["workload"])
    last = ibis.coalesce(entries.until, entries.ends, ibis.literal(settings.today))
    last = ibis.least(last, ibis.literal(settings.today))
    length = (last.epoch_days() - entries.date.epoch_days()).cast("int64")
    days = entries.mutate(offset=ibis.range(0, length + 1).unnest())
    days = days.mutate(day=(days.date + days.offset.as_interval("D")).cast("timestamp").date())
    spread = days.select("workload", date=days.day, upkeep=_of_a_day(days))
    return spread.group_by("date", "workload").agg(upkeep=spread.upkeep.sum().cast(MONEY))


def _of_a_day(days: ir.Table) -> ir.Value:
    """Returns a day's part of a monthly amount, so that the days add up to the month's."""
    first = days.day.truncate("M").cast("timestamp").date()
    following = (first + ibis.interval(months=1)).cast("timestamp").date()
    length = (following.epoch_days() - first.epoch_days()).cast("float64")
    begun, monthly = days.day.day().cast("float64"), days.amount_per_month.cast("float64")
    due, before = (money(monthly * part / length) for part in (begun, begun - 1))
    return (due - before).cast(MONEY)
