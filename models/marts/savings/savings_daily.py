"""Publishes what each workload saved and spent by day, with running totals.

A day's gross saving is its counterfactual less its Trainium cost, and its net saving is that less
overhead. Example: a counterfactual of $703.50, a cost of $400.00 and an overhead of $30.00 make
$303.50 gross and $273.50 net. Negative savings count in full.

A workload whose Trainium work cannot be compared, has no baseline, or must be verified and is not,
has null savings from its first Trainium day on: unknown, not 0. `trn_cost` and `epochs` are of the
lineages whose savings count; if none counts they are of every lineage, and there is no saving
beside them. For several kinds of work dollars are summed, and `epochs` are those of the kind with
most Trainium cost, in its `unit` (METHOD §3.4, §6); `savings_by_kind` has the others.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.declaration import mart
from models.contract.joins import left_join
from models.contract.money import ZERO, known_sum, zero_if_null
from models.contract.portfolio import of_workloads
from models.contract.rules.work.kinds_of_work import main_units
from models.contract.units import EPOCH
from models.marts.savings.coverage.judged_daily import unpriced_days
from models.marts.savings.kinds_without_baseline import by_workload
from models.marts.savings.overhead import overhead
from models.marts.savings.saving_at_list import saving_at_list

KEYS = ["date", "workload"]


@mart(
    grain="date × workload",
    units="dollars on `cost.basis`; epochs in `unit`",
    nulls="savings: the day is not settled, or its counterfactual, cost, list price or "
    "pace before the move is unknown; totals: from the first unknown day on",
    method="§6.1, §6.2",
    whose="workload",
)
def savings_daily(all_savings_daily: ir.Table) -> ir.Table:
    """Lists cost, counterfactual, saving, overhead and investment by workload and day."""
    return of_workloads(all_savings_daily)


def workload_days(
    calendar: ir.Table,
    kinds: ir.Table,
    counterfactual_daily: ir.Table,
    old_volume: ir.Table,
    workload_state: ir.Table,
    commitments: ir.Table,
    pool_idle: ir.Table,
    spend_daily: ir.Table,
    upkeep_daily: ir.Table,
    investment_daily: ir.Table,
    work_daily: ir.Table,
    lineage_facts: ir.Table,
    settings: Settings,
) -> ir.Table:
    """Computes cost, counterfactual, saving, overhead and investment by workload and day."""
    days = left_join(calendar, workload_state.select("workload", "barred"), ["workload"])
    for part in (
        by_workload(counterfactual_daily, old_volume),
        overhead(spend_daily, commitments, upkeep_daily, pool_idle, workload_state, settings),
        _invested(investment_daily),
        _unpriced(work_daily, lineage_facts, workload_state),
    ):
        days = left_join(days, part, KEYS)
    days = left_join(days, main_units(kinds), ["workload"])
    return _saved(days)


def _invested(investment_daily: ir.Table) -> ir.Table:
    return investment_daily.group_by(KEYS).agg(
        investment=known_sum(investment_daily.amount), spent=ibis.literal(True)
    )


def _unpriced(work_daily: ir.Table, lineage_facts: ir.Table, workload_state: ir.Table) -> ir.Table:
    """Lists days on which workloads without any known Trainium cost worked on Trainium."""
    unknown = workload_state.filter(workload_state.none_priced)
    rows = unpriced_days(work_daily, lineage_facts).semi_join(unknown, ["workload"])
    return rows.select(KEYS).distinct().mutate(unpriced=ibis.literal(True))


def _saved(days: ir.Table) -> ir.Table:
    """Computes savings by day: absent parts are 0; null if unsettled, or if none may be claimed."""
    worked = days.worked.fill_null(False) | days.unpriced.fill_null(False)
    known = days.settled & ~(worked & days.barred)
    counterfactual = _zero_unless(worked, days.counterfactual)
    at_list = _zero_unless(worked, saving_at_list(days))
    rows = days.mutate(
        unit=days.unit.fill_null(EPOCH),
        trn_cost=_zero_unless(worked, days.trn_cost),
        epochs=zero_if_null(days.epochs),
        credited_epochs=zero_if_null(days.credited_epochs),
        counterfactual=ibis.ifelse(known, counterfactual, None),
        saving_at_list=ibis.ifelse(known, at_list, None),
        saving_at_old_volume=ibis.ifelse(known, _zero_unless(worked, days.at_old_volume), None),
        counterfactual_at_list=ibis.ifelse(known, _zero_unless(worked, days.listed), None),
        **{
            name: ibis.ifelse(days.settled, _zero_unless(days.burdened, days[name]), None)
            for name in ("overhead", "upkeep", "cluster_idle")
        },
        investment=_zero_unless(days.spent, days.investment),
    )
    rows = rows.mutate(gross_saving=rows.counterfactual - rows.trn_cost)
    return rows.mutate(net_saving=rows.gross_saving - rows.overhead)


def _zero_unless(occurs: ir.BooleanValue, amount: ir.Value) -> ir.Value:
    """Returns the amount if something occurred, even if the amount is unknown; otherwise 0."""
    return ibis.ifelse(occurs, amount, ZERO)
