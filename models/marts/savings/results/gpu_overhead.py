"""Computes the GPU overhead that ended with the move, which is in no saving (METHOD §6.11).

What a month cost the workload on GPU outside any run (notebooks, idle machines under its tag)
before the cutover, less what it costs in the recent window, at least 0. A month is 52 ÷ 12 weeks on
both sides. Example: $8,400 in the 84 days before the cutover and $2,100 in the last 84 are
$3,033.33 and $758.33 a month: $2,275.00 ended. It is no saving of training, so it is not counted.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.declaration import mart
from models.contract.money import ZERO, known_sum, product, ratio
from models.contract.portfolio import with_portfolio
from models.contract.rules.known_cost import known_cost
from models.contract.rules.recent_window import DAYS, between
from models.contract.schema import EXPLAINERS, NUMBER

WEEKS_A_YEAR, MONTHS_A_YEAR, WEEK = 52, 12, 7


@mart(
    grain="workload, and `(portfolio)`, of those that moved from GPU",
    units="dollars on `cost.basis`; days",
    nulls="since, days_before: several workloads; amounts: a cost is unknown, or fewer than 84 "
    "settled days have passed since the cutover",
    method="§6.11",
    whose="workload",
)
def gpu_overhead(
    spend_daily: ir.Table, cutovers: ir.Table, workload_settled: ir.Table, settings: Settings
) -> ir.Table:
    """Computes each workload's monthly GPU overhead before the move and now, and the decrease."""
    last = workload_settled.select(
        "workload", "recent_since", "undelivered", last="settled_through"
    )
    moved = cutovers.join(last, "workload")
    gpu = spend_daily.filter(spend_daily.settled & (spend_daily.hardware == "gpu"))
    gpu = gpu.mutate(cost=known_cost(gpu, settings.cost.basis))
    rows = gpu.join(moved, "workload")
    away = (rows.cutover.epoch_days() - rows.date.epoch_days()).cast("int64")
    window = settings.baseline.window_days
    inside = (away > 0) & (away <= window)
    loose = rows.attribution == "overhead"
    missing = rows.undelivered.contains(rows.date).fill_null(False)
    recent = between(rows.date, rows.recent_since, rows["last"]) & ~missing
    rows = rows.mutate(
        away=away,
        inside=inside,
        before=loose & inside,
        recent=loose & recent,
        whole=rows.recent_since >= rows.cutover,
    )
    own = rows.group_by("workload", "cutover").agg(
        inside=rows.inside.any(),
        days_before=ibis.least(rows.away.max(), window),
        cost_before=known_sum(ibis.ifelse(rows.before, rows.cost, ZERO)),
        cost_recent=known_sum(ibis.ifelse(rows.recent, rows.cost, ZERO)),
        whole=rows.whole.any(),
    )
    own = own.filter(own.inside & own.whole)
    own = own.mutate(since=_days_before(own.cutover, own.days_before))
    own = own.mutate(
        per_month_before=_monthly(own.cost_before, own.days_before),
        per_month_recent=_monthly(own.cost_recent, ibis.literal(DAYS)),
    )
    less = own.per_month_before - own.per_month_recent
    ended = ibis.cases((less > 0, less), (less <= 0, ZERO))
    return _with_sums(own.mutate(gpu_overhead_ended=ended)).select(*EXPLAINERS["gpu_overhead"])


def _days_before(day: ir.Value, days: ir.Value) -> ir.Value:
    """Returns the date so many days before another."""
    return (day - days.as_interval("D")).cast("timestamp").date()


def _monthly(cost: ir.Value, days: ir.Value) -> ir.Value:
    """Converts the cost of a number of days to that of a month."""
    yearly = product(cost, ibis.literal(WEEKS_A_YEAR * WEEK))
    return ratio(yearly, (days * MONTHS_A_YEAR).cast(NUMBER))


def _with_sums(own: ir.Table) -> ir.Table:
    """Adds the sums over workloads as the row of the portfolio."""
    amounts = [name for name, dtype in EXPLAINERS["gpu_overhead"].items() if "decimal" in dtype]
    every = with_portfolio(own)
    alone = every.count() == 1
    return every.group_by("workload").agg(
        since=ibis.ifelse(alone, every.since.min(), None),
        days_before=ibis.ifelse(alone, every.days_before.max(), None),
        **{name: known_sum(every[name]) for name in amounts},
    )
