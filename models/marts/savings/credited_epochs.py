"""Computes how much work of each lineage of Trainium runs is credited a saving (METHOD §3.6).

With a target loss results count (METHOD §3.6). `cap` of the day's baseline is the work that GPU
needs for one. A lineage that reached the target is credited `cap` in all, evenly over what it did
until then; one that still runs its own work, at most `cap`; one that ended without, nothing. Its
GPU, port and validation runs use that up too. Example: with a cap of 10, a lineage that reached the
target after 8 epochs, 6 of them on GPU, is credited 2 × 10 ÷ 8. Work is in the unit of its kind.

`withheld_epochs` would be credited if it were known what the run was for or on what machines it
ran; `misplaced` names the cause. Their cost counts. `active` says that the lineage ran or reported
on the day; storage alone does not count. `counted_in_unit`: its cost belongs in a cost per unit
(`unit_daily`), as that of every lineage that compares does. `standing` is `counted`, or why the
lineage is left out as a whole: `not_comparable`, or `require_verified` if no GPU lineage has a loss
and the config requires one.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step
from models.contract.joins import left_join
from models.contract.money import ZERO, known_sum, product, ratio, zero_if_null
from models.contract.rules.work.kinds_of_work import with_own_baseline
from models.contract.schema import NUMBER

UNBILLED = "no_accelerator_hours"


@step(
    grain="date × workload × lineage, of production on Trainium",
    units="dollars on `cost.basis` and at list; work in `unit`",
    nulls="cost, list_cost: unknown; misplaced: nothing is withheld",
    method="§3.4, §3.6",
    whose="run",
)
def credited_daily(
    unit_daily: ir.Table,
    parity_verdicts: ir.Table,
    comparable: ir.Table,
    baselines: ir.Table,
    config_workloads: ir.Table,
) -> ir.Table:
    """Computes daily cost, work and credited work of each lineage of Trainium runs."""
    reached = comparable.select("workload", "lineage", "work_to_target")
    days = _days(unit_daily, parity_verdicts.join(reached, ["workload", "lineage"]))
    days = with_own_baseline(days, baselines, "cap")
    days = left_join(days, config_workloads.select("workload", "require_verified"), ["workload"])
    so_far = ibis.cumulative_window(group_by=["workload", "lineage"], order_by="date")
    days = days.mutate(all_done=days.all_done.sum().over(so_far))
    # what the lineage did before, and on other hardware the same day, comes first; then what its
    # misplaced runs did
    until, known, before = (
        _credited(days, done)
        for done in (days.all_done, days.all_done - days.done, days.all_done - days.made)
    )
    differs = days.comparability != "comparable"
    below = days.parity == "below_parity"
    earns = ~(differs | below.fill_null(False))
    rows = days.mutate(
        credited_epochs=ibis.ifelse(earns, (until - known).cast(NUMBER), ZERO),
        withheld_epochs=ibis.ifelse(earns, (known - before).cast(NUMBER), ZERO),
        standing=standing(days),
    )
    return rows.filter(rows.on_trainium).select(
        "date", "workload", "lineage", "kind", "unit", "main", "settled", "active", "cost",
        "list_cost", "epochs", "parity", "short", "credited_epochs", "withheld_epochs", "misplaced",
        "standing", "counted_in_unit",
    )  # fmt: skip


def standing(rows: ir.Table) -> ir.Value:
    """Returns `counted`, or why savings leave out a lineage (chain of resumed runs) as a whole."""
    return ibis.cases(
        (rows.comparability != "comparable", "not_comparable"),
        (rows.require_verified & (rows.parity == "unverified"), "require_verified"),
        else_="counted",
    )


def is_on_trainium(unit_daily: ir.Table) -> ir.BooleanValue:
    """Whether a run's day is production on Trainium, also where its hours are not on the bill."""
    billed = unit_daily.hardware == "trainium"
    return unit_daily.in_lineage & (billed | (unit_daily.unbilled_epochs > 0))


def _days(unit_daily: ir.Table, verdicts: ir.Table) -> ir.Table:
    """Sums each lineage of runs by day: cost and work on Trainium, and the work of all its runs."""
    rows = unit_daily.join(verdicts.drop("kind"), ["workload", "lineage"])
    rows = rows.mutate(
        trn=is_on_trainium(rows),
        unfollowed=ibis.ifelse(rows.unbilled_epochs > 0, UNBILLED, rows.misplaced),
    )
    whole = [
        "kind", "unit", "main", "settled", "comparability", "parity", "short", "work_to_target",
    ]  # fmt: skip
    return rows.group_by("date", "workload", "lineage", *whole).agg(
        on_trainium=rows.trn.any(),
        active=(rows.trn & rows.active).any(),
        counted_in_unit=(rows.trn & rows.counted_in_unit).any(),
        cost=known_sum(ibis.ifelse(rows.trn, rows.cost, ZERO)),
        list_cost=known_sum(ibis.ifelse(rows.trn, rows.list_cost, ZERO)),
        epochs=rows.epochs.sum(where=rows.trn),
        done=zero_if_null(rows.epochs.sum(where=rows.trn & rows.misplaced.isnull())),
        made=(rows.epochs + rows.unbilled_epochs).sum(where=rows.trn),
        misplaced=rows.unfollowed.max(where=rows.trn),
        all_done=(rows.epochs + rows.unbilled_epochs).sum(),
    )


def _credited(days: ir.Table, done: ir.Value) -> ir.Value:
    """Returns the units of work credited to a lineage of runs for its first `done` units."""
    way = days.work_to_target
    most = way.coalesce(days.cap)
    counts = ibis.ifelse(most.isnull(), done, ibis.least(done, most))
    return ratio(product(counts, days.cap), way).coalesce(counts)
