"""Computes each workload's totals and status at the end of each month, and now.

A cutoff is the last settled day of a month; `newest` marks a workload's last one. Only settled days
up to the cutoff count. `status` is the first of METHOD §6.5 that applies, and `break_even_date` the
first settled day from which cumulative net stays at 0 or above up to the cutoff.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step
from models.contract.joins import left_join
from models.contract.money import known_sum
from models.contract.portfolio import with_portfolio
from models.contract.rules.work.kinds_of_work import of_main_kind
from models.marts.savings.break_even.break_even_date import paid_back_since
from models.marts.savings.break_even.cutoffs import cutoffs
from models.marts.savings.break_even.engineer_days_to_spare import day_rates
from models.marts.savings.break_even.forward import forward_per_month, is_whole
from models.marts.savings.break_even.months_in_migration import first_investments
from models.marts.savings.break_even.recent_sums import recent_sums
from models.marts.savings.portfolio_state import with_portfolio_state
from models.marts.savings.status.planned_investment import planned_investment
from models.marts.savings.status.status import status

KEYS = ["workload", "cutoff"]
COUNTS = ("recent_lineages", "recent_runs")
TOTALS = ("cumulative_net_saving", "cumulative_investment", "cumulative_net", "roi")


@step(
    grain="workload, and `(portfolio)` × cutoff",
    units="dollars on `cost.basis`; epochs; lineages",
    nulls="amounts: unknown up to the cutoff; cutoff: no day is settled; ends: the config has none",
    method="§6.4, §6.5",
    whose="workload",
)
def standings(
    all_savings_daily: ir.Table,
    credited_daily: ir.Table,
    workload_state: ir.Table,
    savings_by_kind: ir.Table,
    investment_daily: ir.Table,
    config_investments: ir.Table,
    config_workloads: ir.Table,
) -> ir.Table:
    """Computes totals, pace, status and break-even date of each workload at each month's end."""
    settled = all_savings_daily.filter(all_savings_daily.settled)
    state = with_portfolio_state(workload_state)
    rows = cutoffs(settled, state)
    settled = _with_main_kind(settled, savings_by_kind)
    until = rows.join(settled, "workload").filter(lambda row: row.date <= row.cutoff)
    for part in (
        until.filter(until.date == until.cutoff).select(*KEYS, *TOTALS),
        _gross_totals(until),
        recent_sums(rows, settled, savings_by_kind, credited_daily),
        planned_investment(rows, config_investments),
        paid_back_since(until, state.select("workload", "cutover")),
    ):
        rows = left_join(rows, part, KEYS)
    for part in (
        state,
        day_rates(state, config_investments),
        first_investments(investment_daily),
        config_workloads.select("workload", "ends"),
    ):
        rows = left_join(rows, part, ["workload"])
    rows = rows.mutate(
        whole=is_whole(rows), **{name: ibis.coalesce(rows[name], 0) for name in COUNTS}
    )
    rows = rows.mutate(status=status(rows), forward_per_month=forward_per_month(rows))
    even = rows.cumulative_net.notnull() & rows.status.isin(("broke_even", "losing"))
    return rows.mutate(break_even_date=ibis.ifelse(even, rows.since, None))


def _with_main_kind(settled: ir.Table, savings_by_kind: ir.Table) -> ir.Table:
    """Adds to each workload's settled days gross saving and work of its main training recipe.

    `saved` is the main kind's gross saving where it is known, `saved_epochs` the work of that.
    """
    known = of_main_kind(savings_by_kind.filter(savings_by_kind.gross_saving.notnull()))
    known = with_portfolio(known.select("date", "workload", "epochs", saved="gross_saving"))
    saved = known.group_by("date", "workload").agg(
        saved_epochs=known.epochs.sum(), saved=known.saved.sum()
    )
    return left_join(settled, saved, ["date", "workload"])


def _gross_totals(until: ir.Table) -> ir.Table:
    """Sums gross saving (as paid, at list, at the old volume) and overhead up to each cutoff.

    `saved` is that of the main kind.
    """
    return until.group_by(KEYS).agg(
        cumulative_gross_saving=known_sum(until.gross_saving),
        cumulative_saving_at_list=known_sum(until.saving_at_list),
        saving_at_old_volume=known_sum(until.saving_at_old_volume),
        cumulative_overhead=known_sum(until.overhead),
        saved_epochs=until.saved_epochs.sum(),
        saved=until.saved.sum(),
        unit=until.unit.max(),
    )
