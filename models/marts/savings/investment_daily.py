"""Computes the one-time cost of the migration by day and kind of cost.

Entries of the config are on their date; `funding` is below 0. The cost of `port`, `validation` and
`benchmark` runs, and of GPU runs for a `baseline` that started after the cutover, is on their
settled days. So is `overhead_before_cutover`: Trainium cost of the workload outside any run before
it moved. `stranded_commitment`, what the move left idle of commitments for GPU, is on the idle
days. So are `pool_before_cutover`, idle of Trainium pools that only workloads yet to move held, and
`stranded_cluster`, what the move left idle of GPU pools. `upkeep` is overhead of each day, and no
investment.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.declaration import step
from models.contract.joins import left_join
from models.contract.money import known_sum
from models.contract.rules.known_cost import known_cost
from models.contract.rules.work.purposes import SIDE_PURPOSES

KEYS = ["date", "workload", "kind"]


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
    spend_daily: ir.Table,
    cutovers: ir.Table,
    commitments: ir.Table,
    pool_idle: ir.Table,
    settings: Settings,
) -> ir.Table:
    """Sums the migration's one-time cost by day, workload and kind: configured or from the bill."""
    once = config_investments.filter(config_investments.kind != "upkeep")
    stranded = commitments.filter(commitments.kind == "stranded")
    every = once.select(*KEYS, "amount").union(
        side_runs(work_daily, cutovers).drop("run"),
        overhead_before_cutover(spend_daily, cutovers, settings),
        stranded.select(
            "date", "workload", "amount", kind=ibis.literal("stranded_commitment")
        ).select(*KEYS, "amount"),
        pool_idle.filter(pool_idle.kind != "overhead").select(*KEYS, "amount"),
    )
    return every.group_by(KEYS).agg(amount=known_sum(every.amount))


def side_runs(work_daily: ir.Table, cutovers: ir.Table) -> ir.Table:
    """Lists the settled daily cost of port, validation, benchmark and late GPU baseline runs."""
    first = work_daily.group_by("workload", "run").agg(
        started=work_daily.date.min(where=work_daily.active)
    )
    started = left_join(first, cutovers, ["workload"])
    late = started.filter(started.started > started.cutover).select(
        "workload", "run", late=ibis.literal(True)
    )
    runs = left_join(work_daily.filter(work_daily.settled), late, ["workload", "run"])
    again = (runs.purpose == "baseline") & (runs.hardware == "gpu") & runs.late
    side = runs.filter(runs.purpose.isin(SIDE_PURPOSES) | again.fill_null(False))
    return side.select(*KEYS[:2], kind="purpose", amount="cost", run="run")


def overhead_before_cutover(
    spend_daily: ir.Table, cutovers: ir.Table, settings: Settings
) -> ir.Table:
    """Lists a workload's settled Trainium overhead before its cutover; all of it without one."""
    spent = spend_daily.filter(
        (spend_daily.attribution == "overhead")
        & (spend_daily.hardware == "trainium")
        & spend_daily.settled
    )
    rows = left_join(spent, cutovers, ["workload"])
    rows = rows.filter(rows.cutover.isnull() | (rows.date < rows.cutover))
    return rows.select(
        *KEYS[:2],
        kind=ibis.literal("overhead_before_cutover"),
        amount=known_cost(rows, settings.cost.basis),
    )
