"""Computes net saving by day at today's baseline, from which the forecast is drawn.

Each day's work is valued at the baseline of the last settled day, so that a GPU price that has been
cut since is not saved again. Example: 4 epochs of a day on which the baseline was $262.50 count
$703.50 where it is $175.875 today. A kind of work is left out of a day on which it had no baseline,
as it is from savings; where it had one and has none today, the day is unknown. `starts` counts the
Trainium lineages whose first settled day it is. The portfolio's rows hold what belongs to no
workload, or to one that has not moved: its upkeep and idle are lost all the same.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step
from models.contract.joins import left_join
from models.contract.money import ZERO, known_sum, money, product, zero_if_null
from models.contract.portfolio import of_portfolio, of_workloads
from models.contract.rules.work.kinds_of_work import KIND, kind_of, with_own_baseline

KEYS = ["date", "workload"]


@step(
    grain="date × workload, settled days from the cutover on, without gaps",
    units="dollars on `cost.basis`; lineages",
    nulls="amounts: unknown",
    method="§6.6",
    whose="workload",
)
def forecast_days(
    all_savings_daily: ir.Table,
    baselines: ir.Table,
    workload_state: ir.Table,
    credited_daily: ir.Table,
) -> ir.Table:
    """Values each day's work at the last settled day's GPU baseline; counts the runs that start."""
    settled = all_savings_daily.filter(all_savings_daily.settled)
    own = of_workloads(settled)
    days = own.join(workload_state.select("workload", "cutover"), "workload")
    rows = days.filter(days.date >= days.cutover)
    last = own.group_by("workload").agg(date=own.date.max())
    rows = left_join(rows, _worth(last, baselines, credited_daily), KEYS)
    rows = left_join(rows, _starts(credited_daily), KEYS)
    worth = ibis.ifelse(rows.valued.isnull(), ZERO, rows.worth)
    rows = rows.mutate(counterfactual=ibis.ifelse(rows.counterfactual.isnull(), None, worth))
    columns = [*KEYS, "counterfactual", "net_saving", "starts"]
    today = rows.mutate(
        net_saving=rows.counterfactual - rows.trn_cost - rows.overhead,
        starts=ibis.coalesce(rows.starts, 0).cast("int64"),
    )
    return today.select(columns).union(_of_no_other(settled, days).select(columns))


def _worth(last: ir.Table, baselines: ir.Table, credited_daily: ir.Table) -> ir.Table:
    """Sums what each day's credited work costs at the last GPU baseline of its training recipe.

    It is null where a kind of the day has none any more.
    """
    today = last.join(baselines, KEYS)
    today = today.select("workload", today="value", kind=kind_of(today.recipe))
    rows = credited_daily.filter(credited_daily.settled & (credited_daily.standing == "counted"))
    rows = with_own_baseline(rows, baselines, "value")
    rows = left_join(rows.filter(rows.value.notnull()), today, KIND)
    days = rows.group_by("date", *KIND, "today").agg(epochs=rows.credited_epochs.sum())
    return days.group_by(KEYS).agg(
        worth=known_sum(product(days.today, days.epochs)), valued=ibis.literal(value=True)
    )


def _starts(credited_daily: ir.Table) -> ir.Table:
    """Counts per workload and day the runs (resumed as one) whose first counted day it is."""
    worked = credited_daily.filter(credited_daily.settled & (credited_daily.standing == "counted"))
    first = worked.group_by("workload", "lineage").agg(date=worked.date.min())
    return first.group_by(KEYS).agg(starts=first.count())


def _of_no_other(settled: ir.Table, days: ir.Table) -> ir.Table:
    """Returns the portfolio's daily net saving without that of the workloads that moved."""
    moved = days.filter(days.cutover.notnull())
    named = moved.group_by("date").agg(named=moved.net_saving.sum())
    worked = days.filter(days.epochs > 0)
    whole = left_join(of_portfolio(settled), named, ["date"]).cross_join(
        worked.agg(begin=worked.date.min())
    )
    whole = whole.filter(whole.date >= whole.begin)
    rest = whole.net_saving - zero_if_null(whole.named)
    return whole.mutate(counterfactual=money(0), net_saving=rest, starts=ibis.literal(0, "int64"))
