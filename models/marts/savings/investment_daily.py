"""What the migration itself cost, by day.

Grain: date × workload (null: the portfolio) × kind, dollars. One-time entries of the config on
their date; `upkeep` spread by day from its date (amount per month ÷ days of the month); the cost of
`port` and `validation` runs on settled days; `stranded_commitment`, what the move left idle of
commitments for GPU, on the days that were idle (METHOD §6).
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.money import known_sum, money
from models.contract.rules.purposes import SIDE_PURPOSES
from models.contract.schema import MONEY


def investment_daily(
    config_investments: ir.Table,
    work_daily: ir.Table,
    commitments: ir.Table,
    settings: Settings,
) -> ir.Table:
    """`date`, `workload`, `kind`, `amount`."""
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
