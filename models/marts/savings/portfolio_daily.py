"""Publishes the company's savings by day: all workloads, and what belongs to none.

Investment, upkeep, idle commitment and idle pools of no workload are added. All overhead is
deducted, also that of workloads whose saving is unknown. If no workload that moved has a known
saving, the portfolio has none either. An unknown amount is never taken for $0 (METHOD §1, §2.5):
overhead and investment are null if a part of them is, and overhead also after the last settled day
of a payer that had idle commitment of the portfolio. `saving_at_list` is null if a saving that
counts has no list price, `saving_at_old_volume` if one has no pace before the move.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import mart
from models.contract.joins import left_join
from models.contract.money import ZERO, zero_if_null
from models.contract.portfolio import PORTFOLIO, of_portfolio
from models.contract.rules.work.kinds_of_work import main_units

EPOCHS = ("epochs", "credited_epochs")
WORK = ("trn_cost", *EPOCHS)
SAVINGS = (
    "counterfactual", "gross_saving", "net_saving", "saving_at_list", "counterfactual_at_list",
    "saving_at_old_volume",
)  # fmt: skip
OUTGOINGS = ("overhead", "investment")
PARTS = ("upkeep", "cluster_idle")
"""Parts of overhead that have a column of their own."""
MAY_LACK = (*OUTGOINGS, "cluster_idle")
"""Outgoings of a workload that may be unknown on a settled day; upkeep is what the config says."""
UNKNOWN = {
    "saving_at_list": "unlisted",
    "counterfactual_at_list": "unlisted",
    "saving_at_old_volume": "unpaced",
    "overhead": "unknown_overhead",
    "net_saving": "unknown_overhead",
    "cluster_idle": "unknown_cluster_idle",
    "investment": "unknown_investment",
    "trn_cost": "unknown_trn_cost",
}
"""Columns of the portfolio that are null on a day, by the flag that says so."""


@mart(
    grain="date",
    units="dollars on `cost.basis`; epochs in `unit`",
    nulls="unit, epochs: workloads count different ones; savings: the day is not settled or no "
    "saving is known; trn_cost, overhead, cluster_idle, investment: a part is unknown; totals: "
    "from the first unknown day on",
    method="§6.7",
    whose="company",
)
def portfolio_daily(all_savings_daily: ir.Table) -> ir.Table:
    """Lists the company's savings, overhead and investment by day."""
    return of_portfolio(all_savings_daily)


def portfolio_days(
    own: ir.Table,
    kinds: ir.Table,
    commitments: ir.Table,
    pool_idle: ir.Table,
    silent_payers: ir.Table,
    investment_daily: ir.Table,
    upkeep_daily: ir.Table,
    workload_state: ir.Table,
    settled_accounts: ir.Table,
) -> ir.Table:
    """Sums savings, overhead and investment by day over workloads and what belongs to none.

    `own` holds the days of the workloads.
    """
    span = portfolio_span(workload_state, settled_accounts)
    summed = _summed(own, span)
    unnamed = _unnamed(investment_daily, "amount", "unnamed")
    upkeep_of_nobody = _unnamed(upkeep_daily, "upkeep", "unnamed_upkeep")
    idle = _unnamed(pool_idle.filter(pool_idle.kind == "overhead"), "amount", "unnamed_idle")
    dates = (part.select("date") for part in (summed, unnamed, upkeep_of_nobody, idle))
    rows = ibis.union(*dates, distinct=True)
    for part in (summed, _uncovered(commitments, span), unnamed, upkeep_of_nobody, idle):
        rows = left_join(rows, part, ["date"])
    idle_through = silent_payers.agg(idle_through=silent_payers.settled_through.min())
    units = main_units(kinds)
    whole = units.filter(units.workload == PORTFOLIO).select("unit")
    rows = rows.cross_join(span).cross_join(idle_through).cross_join(whole)
    return _where_known(_with_outgoings(rows))


def portfolio_span(workload_state: ir.Table, settled_accounts: ir.Table) -> ir.Table:
    """Returns the portfolio's last settled day, first cutover, and whether it can claim no saving.

    Returns one row: `end`, `start`, and `blind`, which is true where every workload with Trainium
    work is barred from claiming a saving.
    """
    through = workload_state.settled_through
    span = workload_state.agg(
        moved=through.max(where=workload_state.cutover.notnull()),
        known=through.max(),
        start=workload_state.cutover.min(),
        blind=workload_state.barred.all(where=workload_state.has_trn).fill_null(False),
    )
    span = span.cross_join(settled_accounts.agg(billed=settled_accounts.settled_through.max()))
    whole = ibis.coalesce(span.moved, span.known, span.billed)
    return span.select("start", "blind", end=whole)


def _summed(own: ir.Table, span: ir.Table) -> ir.Table:
    """Sums savings, outgoings and work of all workloads by day, and marks what is unknown."""
    own = own.cross_join(span.select("end"))
    counts = own.settled | (own.date > own.end)
    own = own.mutate(**{name: ibis.ifelse(counts, own[name], ZERO) for name in WORK})
    return own.group_by("date").agg(
        **{name: own[name].sum() for name in (*WORK, *SAVINGS, *OUTGOINGS, *PARTS)},
        unlisted=(own.gross_saving.notnull() & own.saving_at_list.isnull()).any(),
        unpaced=(own.gross_saving.notnull() & own.saving_at_old_volume.isnull()).any(),
        unknown_trn_cost=own.trn_cost.isnull().any(),
        **{f"unknown_{name}": (own.settled & own[name].isnull()).any() for name in MAY_LACK},
    )


def _uncovered(commitments: ir.Table, span: ir.Table) -> ir.Table:
    """Sums by day the idle commitment that belongs to no run, from the first cutover on."""
    alone = commitments.filter(commitments.kind == "uncovered").cross_join(span)
    alone = alone.filter(alone.date >= alone.start)
    return alone.group_by("date").agg(**_summed_as("uncovered", alone.amount))


def _unnamed(days: ir.Table, amount: str, name: str) -> ir.Table:
    """Sums by day an amount over the rows without a workload."""
    loose = days.filter(days.workload.isnull())
    return loose.group_by("date").agg(**_summed_as(name, loose[amount]))


def _summed_as(name: str, amount: ir.Value) -> dict[str, ir.Value]:
    """Returns two aggregates of a group's amounts: their sum, and whether one is unknown."""
    return {name: amount.sum(), f"unknown_{name}": amount.isnull().any()}


def _with_outgoings(rows: ir.Table) -> ir.Table:
    """Adds to the portfolio's days overhead and investment of no workload, and its net saving."""
    silent = (rows.date > rows.idle_through) & (rows.date >= rows.start)
    lost = {
        name: rows[f"unknown_{name}"].fill_null(False)
        for name in (*MAY_LACK, "uncovered", "unnamed_idle", "unnamed")
    }
    rows = rows.mutate(
        settled=rows.date <= rows.end,
        overhead=zero_if_null(rows.overhead)
        + zero_if_null(rows.uncovered)
        + zero_if_null(rows.unnamed_upkeep)
        + zero_if_null(rows.unnamed_idle),
        cluster_idle=zero_if_null(rows.cluster_idle) + zero_if_null(rows.unnamed_idle),
        upkeep=zero_if_null(rows.upkeep) + zero_if_null(rows.unnamed_upkeep),
        investment=zero_if_null(rows.investment) + zero_if_null(rows.unnamed),
        unknown_overhead=lost["overhead"] | lost["uncovered"] | lost["unnamed_idle"] | silent,
        unknown_cluster_idle=lost["cluster_idle"] | lost["unnamed_idle"],
        unknown_investment=lost["investment"] | lost["unnamed"],
    )
    return rows.mutate(net_saving=zero_if_null(rows.gross_saving) - rows.overhead)


def _where_known(rows: ir.Table) -> ir.Table:
    """Sets the portfolio's amounts to null on days on which they are unknown."""
    known = rows.settled & ~(rows.blind & (rows.date >= rows.start).fill_null(False))
    found = {name: ibis.ifelse(known, zero_if_null(rows[name]), None) for name in SAVINGS}
    found |= {n: ibis.ifelse(rows.settled, rows[n], None) for n in ("overhead", *PARTS)}
    found["investment"] = rows.investment
    found |= {name: zero_if_null(rows[name]) for name in WORK}
    found |= {name: ibis.ifelse(rows.unit.isnull(), None, found[name]) for name in EPOCHS}
    for name, unknown in UNKNOWN.items():
        found[name] = ibis.ifelse(rows[unknown], None, found[name])
    return rows.mutate(workload=ibis.literal(PORTFOLIO), **found)
