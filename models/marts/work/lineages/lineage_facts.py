"""Summarises each lineage of runs over its settled days: runs, work, cost, target loss.

`ended_on` is the last active day of a lineage that has ended (`ended`), `ended_at` its newest
sample on that day; `epochs_to_target`, … are
its progress when its loss first reached the target (`target_loss`). `in_epochs`, `in_tokens`,
`in_samples`: all of its runs that report progress can be counted so. `on_gpu`: all of its runs are
GPU runs; `on_trainium`: at least one is a Trainium run. All columns are computed from the runs that
are `in_lineage` (`purposes`): a port, validation or benchmark run in a production lineage only
advances its progress.

`counted`: the lineage is in cost per epoch and savings, because it ran on accelerators, at known
prices, and has `own` work. `unpriced`: a Trainium lineage that is not counted because its cost is
unknown. `recipes_differ`, `least_size` and `most_size` are what its `members`, or their samples,
state.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.declaration import step
from models.contract.joins import left_join
from models.contract.money import ZERO, known_sum
from models.contract.schema import NUMBER
from models.marts.work.lineages.counted_lineages import is_counted, is_unpriced
from models.marts.work.lineages.ended import with_end
from models.marts.work.lineages.target_loss import reached_target
from models.marts.work.lineages.unreported_hours import with_unreported_hours
from models.marts.work.progress.run_starts import starts_undeclared

LINE = ["workload", "lineage"]
RUN = ["workload", "run"]


@step(
    grain="workload × lineage",
    units="dollars on `cost.basis`, epochs, tokens and samples, of settled days; accelerator-hours",
    nulls="cost: of a day unknown; ended_on, ended_at: has not ended; target columns: target loss "
    "not reached",
    method="§1.2, §3.4, §3.6",
    whose="run",
)
def lineage_facts(
    work_daily: ir.Table,
    run_registry: ir.Table,
    samples: ir.Table,
    progress_steps: ir.Table,
    workload_settled: ir.Table,
    config_workloads: ir.Table,
    settings: Settings,
) -> ir.Table:
    """Summarises each lineage (chain of resumed runs): work, cost, hardware, recipe, dates, …."""
    days = work_daily.filter(work_daily.in_lineage)
    members = days.select(*RUN, "lineage").distinct()
    facts = left_join(_sums(days), _attributes(run_registry, members), LINE)
    facts = left_join(facts, _undeclared(run_registry, work_daily), LINE)
    facts = with_unreported_hours(facts, days, run_registry)
    facts = left_join(facts, workload_settled, ["workload"])
    facts = with_end(facts, settings.cost.settle_days)
    losses = samples.filter(samples.loss.notnull()).select(*RUN, "observed_at", "loss")
    losses = losses.join(members, RUN)
    facts = left_join(facts, reached_target(losses, progress_steps, config_workloads), LINE)
    facts = left_join(facts, config_workloads.select("workload", "target_loss"), ["workload"])
    return facts.mutate(counted=is_counted(facts), unpriced=is_unpriced(facts))


def _sums(work_daily: ir.Table) -> ir.Table:
    """Sums cost and progress of each lineage of runs over settled days, hours over all days.

    With its hardware, and its first and last active day.
    """
    rows = work_daily
    settled, on_trainium = rows.settled, rows.hardware == "trainium"
    return rows.group_by("workload", "lineage").agg(
        own=rows.own.any(),
        on_gpu=(rows.hardware == "gpu").all(),
        on_trainium=on_trainium.any(),
        first_day=rows.date.min(where=rows.active),
        last_day=rows.date.max(where=rows.active),
        first_trainium=rows.date.min(where=settled & rows.active & on_trainium),
        cost=known_sum(ibis.ifelse(settled, rows.cost, ZERO)),
        trn_cost=known_sum(ibis.ifelse(settled & on_trainium, rows.cost, ZERO)),
        list_cost=known_sum(ibis.ifelse(settled, rows.list_cost, ZERO)),
        epochs=ibis.ifelse(settled, rows.epochs, ZERO).sum().cast(NUMBER),
        tokens=rows.tokens.sum(where=settled),
        samples=rows.samples.sum(where=settled),
        all_hours=rows.accelerator_hours.sum(),
    )


def _attributes(run_registry: ir.Table, members: ir.Table) -> ir.Table:
    """Returns per lineage what its runs state: recipe, samples per epoch, counters, start.

    Each is that of the run that started the lineage, else of the first run by name that states it.
    """
    runs = run_registry.join(members, RUN)
    started = runs.run == runs.lineage

    def stated(name: str) -> ir.Value:
        return runs[name].first(order_by=[ibis.desc(started), "run"])

    return runs.group_by("workload", "lineage").agg(
        recipe=stated("recipe"),
        samples_per_epoch=stated("samples_per_epoch"),
        members=runs.count(),
        recipes_differ=(runs.recipe.min() != runs.recipe.max()).fill_null(False)
        | runs.recipes_differ.any(),
        least_size=runs.least_size.min(),
        most_size=runs.most_size.max(),
        reports=runs.first_sample.notnull().any(),
        by_increments=runs.by_increments.any().fill_null(False),
        reports_progress=runs.counted_from.notnull().any(),
        **{
            name: runs[name].all(where=runs.counted_from.notnull()).fill_null(False)
            for name in ("in_epochs", "in_tokens", "in_samples")
        },
        counted_from=runs.counted_from.min(),
        last_sample=runs.last_sample.max(),
        counted_until=runs.last_sample.max(where=runs.counted_from.notnull()),
        starts_at=runs.start_epoch.min(),
        declared=runs.start_epoch.notnull().any(),
    )


def _undeclared(run_registry: ir.Table, work_daily: ir.Table) -> ir.Table:
    """Returns, per lineage of runs, whether its counter starts high without a declared start.

    An earlier port, validation or benchmark run counts as a declaration, because the work
    is known to have been done there.
    """
    every = work_daily.select("workload", "run", "lineage", "in_lineage").distinct()
    runs = run_registry.join(every, RUN).filter(run_registry.counted_from.notnull())
    above = runs.in_lineage & starts_undeclared(runs)
    order = [runs.counted_from, ibis.desc(runs.run == runs.lineage), runs.run]
    return runs.group_by(LINE).agg(undeclared=above.first(order_by=order))
