"""Lists what cumulative net savings deduct of the bill, so that each dollar's lines can be found.

Example: a workload's runs cost $400 on a day, and $30 of an idle plan fell on them: a row of part
`training` for each run, and one of part `idle_commitment` with the plan's id. Parts of overhead are
`overhead`, `idle_commitment` and `cluster_idle`. Parts of the investment have the names of
`investments`. What the config states, upkeep and entries of investment, is on no bill and not here.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.declaration import mart
from models.contract.money import known_sum
from models.contract.schema import EXPLAINERS
from models.marts.savings.coverage.judged_daily import with_judged
from models.marts.savings.investment_daily import overhead_before_cutover, side_runs
from models.marts.savings.overhead import own_overhead
from models.marts.savings.portfolio_daily import portfolio_span

COLUMNS = EXPLAINERS["counted_costs"]
KEYS = [name for name in COLUMNS if name != "amount"]
POOL = ("cluster", "instance_type")
OVERHEAD = ("overhead", "idle_commitment", "cluster_idle")


@mart(
    grain="date × workload × part × run × commitment × cluster × instance_type",
    units="dollars on `cost.basis`",
    nulls="workload: the portfolio; run: of no run; commitment: of none, or the bill names none; "
    "cluster, instance_type: of no pool; amount: unknown",
    method="§6.1, §6.3, §6.7",
    whose="run",
)
def counted_costs(
    credited_daily: ir.Table,
    baselines: ir.Table,
    workload_state: ir.Table,
    unit_daily: ir.Table,
    calendar: ir.Table,
    spend_daily: ir.Table,
    commitment_shares: ir.Table,
    pool_shares: ir.Table,
    settled_accounts: ir.Table,
    work_daily: ir.Table,
    cutovers: ir.Table,
    settings: Settings,
) -> ir.Table:
    """Lists the bill's costs in cumulative net savings: runs, overhead and investment, by day."""
    span = portfolio_span(workload_state, settled_accounts)
    every = ibis.union(
        _training(credited_daily, baselines, workload_state, unit_daily),
        _of(own_overhead(spend_daily, workload_state, settings), "overhead"),
        *_idle_commitments(commitment_shares, span),
        *_idle_pools(pool_shares),
        _of(side_runs(work_daily, cutovers), "kind"),
        _of(overhead_before_cutover(spend_daily, cutovers, settings), "kind"),
    )
    rows = _on_settled_days(every, calendar)
    sums = rows.group_by(KEYS).agg(amount=known_sum(rows.amount)).select(*COLUMNS)
    return sums.filter(sums.amount.isnull() | (sums.amount != 0))


def _training(
    credited_daily: ir.Table, baselines: ir.Table, workload_state: ir.Table, unit_daily: ir.Table
) -> ir.Table:
    """Lists the daily cost of the Trainium runs that are compared with GPU."""
    day = ["date", "workload", "lineage"]
    lineages = with_judged(credited_daily, baselines, workload_state)
    lineages = lineages.filter(lineages.judged).select(day)
    runs = unit_daily.filter(unit_daily.in_lineage & (unit_daily.hardware == "trainium"))
    runs = runs.filter(runs.settled).semi_join(lineages, day)
    return _of(runs.mutate(amount=runs.cost), "training")


def _idle_commitments(commitment_shares: ir.Table, span: ir.Table) -> tuple[ir.Table, ...]:
    """Returns three tables of idle commitments: workloads' and portfolio's overhead, investment."""
    of, alone = commitment_shares, commitment_shares.cross_join(span.select("start"))
    alone = alone.filter((alone.kind == "uncovered") & (alone.date >= alone.start))
    return (
        _of(of.filter(of.kind == "trainium"), "idle_commitment"),
        _of(alone, "idle_commitment"),
        _of(of.filter(of.kind == "stranded"), "stranded_commitment"),
    )


def _idle_pools(pool_shares: ir.Table) -> tuple[ir.Table, ...]:
    """Returns two tables of pools' idle cost: what is overhead, and what is an investment."""
    overhead = pool_shares.kind == "overhead"
    return (
        _of(pool_shares.filter(overhead), "cluster_idle"),
        _of(pool_shares.filter(~overhead), "kind"),
    )


def _of(rows: ir.Table, part: str) -> ir.Table:
    """Selects `counted_costs`' columns; `part` is one word for all rows, or their column `kind`."""
    named = rows[part] if part == "kind" else ibis.literal(part)
    missing = {
        name: ibis.null("string")
        for name in ("run", "commitment", *POOL)
        if name not in rows.columns
    }
    typed = rows.mutate(part=named, **missing)
    return typed.select(**{name: typed[name].cast(dtype) for name, dtype in COLUMNS.items()})


def _on_settled_days(every: ir.Table, calendar: ir.Table) -> ir.Table:
    """Drops overhead on days that are not settled for its workload (METHOD §1)."""
    settled = calendar.filter(calendar.settled).select("date", "workload")
    overhead = every.part.isin(OVERHEAD) & every.workload.notnull()
    burden = every.filter(overhead).semi_join(settled, ["date", "workload"])
    return every.filter(~overhead).union(burden)
