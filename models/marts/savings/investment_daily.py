"""What the migration itself cost, by day and kind.

One-time entries of the config stand on their date. `upkeep` is spread by day from its date on: $310
a month are $10 on each day of October. The cost of `port` and `validation` runs stands on their
settled days, and `stranded_commitment`, what the move left idle of commitments for GPU, on the days
that were idle.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.declaration import step
from models.contract.money import known_sum, money
from models.contract.rules.purposes import SIDE_PURPOSES
from models.contract.schema import MONEY


@step(
    grain="date × workload × kind",
    units="dollars on `cost.basis`",
    nulls="workload: the portfolio; amount: unknown",
    method="§6.3",
    whose="workload",
)
def investment_daily(
    config_investments: ir.Table,
    work_daily: ir.Table,
    commitments: ir.Table,
    settings: Settings,
) -> ir.Table:
    """Sums the migration's cost by day: configured, upkeep, side runs, stranded commitments."""
    once = config_investments.filter(config_investments.kind != "upkeep")
    one_time = once.select("date", "workload", "kind", "amount")
    side = work_daily.filter(work_daily.purpose.isin(SIDE_PURPOSES) & work_daily.settled)
    runs = side.group_by("date", "workload", kind="purpose").agg(amount=known_sum(side.cost))
    stranded = commitments.filter(commitments.kind == "stranded")
    idle = stranded.select("date", "workload", "amount", kind=ibis.literal("stranded_commitment"))
    columns = ["date", "workload", "kind", "amount"]
    every = one_time.union(_upkeep(config_investments, settings)).union(
        runs.select(columns), idle.select(columns)
    )
    return every.group_by("date", "workload", "kind").agg(amount=every.amount.sum())


def _upkeep(config_investments: ir.Table, settings: Settings) -> ir.Table:
    """Spreads each month's configured upkeep over its days, so that they add up exactly."""
    entries = config_investments.filter(config_investments.kind == "upkeep")
    length = ibis.literal(settings.today).epoch_days() - entries.date.epoch_days()
    offsets = entries.mutate(offset=ibis.range(0, length.cast("int64") + 1).unnest())
    date = (offsets.date + offsets.offset.as_interval("D")).cast("timestamp").date()
    days = offsets.mutate(day=date)
    first = days.day.truncate("M").cast("timestamp").date()
    following = (first + ibis.interval(months=1)).cast("timestamp").date()
    length = (following.epoch_days() - first.epoch_days()).cast("float64")
    begun = days.day.day().cast("float64")
    monthly = days.amount_per_month.cast("float64")
    until, before = (money(monthly * part / length) for part in (begun, begun - 1))
    return days.select(
        "workload", "kind", date=days.day, amount=(until - before).cast(MONEY)
    ).select("date", "workload", "kind", "amount")
