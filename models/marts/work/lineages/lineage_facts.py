"""What each lineage was, did, cost and reached, on settled days.

Grain: workload × lineage. A lineage has ended when nothing was charged or reported for
`settle_days` up to the last settled day; `ended_on` is then its last day (METHOD §1).
`epochs_to_target` and `tokens_to_target` are its progress when its loss first reached the target.
`target_part` of `target_whole` seconds of that day's work had then passed: from midnight, or the
first sample of a lineage that began on it, to midnight or the last sample of one that ended on it.
`on_gpu` says that all of its runs are GPU runs, `on_trainium` that one of them is a Trainium run,
whatever the others are. All rests on the runs that `stand` (`work_daily`): a port or
validation run in a production lineage adds nothing to it but where it stood.
`counted` says that it is in cost per epoch and savings at all: it ran on accelerators, on known
prices, and as its `own` work. `unpriced`: on Trainium it would count, but its cost is not known; a
port or validation run would not, whatever it cost. `counts_late` and `half_told`: `unseen_hours`.
`recipes_differ`, `least_size` and `most_size` are what its `members`, or their samples, state.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.joins import left_join
from models.contract.money import ZERO, known_sum
from models.contract.schema import NUMBER
from models.marts.work.lineages.ended import with_end
from models.marts.work.lineages.target_loss import reached_target, with_part_of_day
from models.marts.work.lineages.unreported_hours import unseen_hours
from models.marts.work.progress.undeclared_start import starts_undeclared

LINE = ["workload", "lineage"]
RUN = ["workload", "run"]


def lineage_facts(
    work_daily: ir.Table,
    run_registry: ir.Table,
    samples: ir.Table,
    progress_steps: ir.Table,
    workload_settled: ir.Table,
    config_workloads: ir.Table,
    settings: Settings,
) -> ir.Table:
    """One row per lineage with at least one settled or unsettled day."""
    days = work_daily.filter(work_daily.stands)
    members = days.select(*RUN, "lineage").distinct()
    facts = left_join(_sums(days), _attributes(run_registry, members), LINE)
    facts = left_join(facts, _undeclared(run_registry, work_daily), LINE)
    facts = unseen_hours(facts, days, run_registry)
    facts = left_join(facts, workload_settled, ["workload"])
    facts = with_end(facts, settings.cost.settle_days)
    losses = samples.filter(samples.loss.notnull()).select(*RUN, "observed_at", "loss")
    losses = losses.join(members, RUN)
    facts = left_join(facts, reached_target(losses, progress_steps, config_workloads), LINE)
    facts = left_join(facts, config_workloads.select("workload", "target_loss"), ["workload"])
    aimed = config_workloads.filter(config_workloads.target_loss.notnull())
    facts = with_part_of_day(facts, samples.semi_join(aimed, ["workload"]).join(members, RUN))
    return facts.mutate(
        counted=facts.own & (facts.all_hours > 0) & facts.cost.notnull(),
        unpriced=facts.own & facts.on_trainium & facts.cost.isnull(),
    )


def _sums(work_daily: ir.Table) -> ir.Table:
    rows = work_daily
    settled = rows.settled
    return rows.group_by("workload", "lineage").agg(
        own=rows.own.any(),
        on_gpu=(rows.hardware == "gpu").all(),
        on_trainium=(rows.hardware == "trainium").any(),
        first_day=rows.date.min(where=rows.active),
        last_day=rows.date.max(where=rows.active),
        first_trainium=rows.date.min(where=settled & rows.active & (rows.hardware == "trainium")),
        cost=known_sum(ibis.ifelse(settled, rows.cost, ZERO)),
        list_cost=known_sum(ibis.ifelse(settled, rows.list_cost, ZERO)),
        epochs=ibis.ifelse(settled, rows.epochs, ZERO).sum().cast(NUMBER),
        tokens=rows.tokens.sum(where=settled),
        all_hours=rows.accelerator_hours.sum(),
    )


def _attributes(run_registry: ir.Table, members: ir.Table) -> ir.Table:
    """Of the run that started the lineage, else of the first by name that says something."""
    runs = run_registry.join(members, RUN)
    started = runs.run == runs.lineage

    def told(name: str) -> ir.Value:
        return runs[name].first(order_by=[ibis.desc(started), "run"])

    return runs.group_by("workload", "lineage").agg(
        recipe=told("recipe"),
        samples_per_epoch=told("samples_per_epoch"),
        members=runs.count(),
        recipes_differ=(runs.recipe.min() != runs.recipe.max()).fill_null(False)
        | runs.recipes_differ.any(),
        least_size=runs.least_size.min(),
        most_size=runs.most_size.max(),
        sampled=runs.first_sample.notnull().any(),
        unsized=runs.unsized.any().fill_null(False),
        by_increments=runs.by_increments.any().fill_null(False),
        counts=runs.counted_from.notnull().any(),
        counted_from=runs.counted_from.min(),
        counted_until=runs.last_sample.max(where=runs.counted_from.notnull()),
        starts_at=runs.start_epoch.min(),
        declared=runs.start_epoch.notnull().any(),
    )


def _undeclared(run_registry: ir.Table, work_daily: ir.Table) -> ir.Table:
    """Whether the first counter of a lineage began above one epoch, and nothing says where.

    A port or validation run before it does say where.
    """
    every = work_daily.select("workload", "run", "lineage", "stands").distinct()
    runs = run_registry.join(every, RUN).filter(run_registry.first_epoch.notnull())
    above = runs.stands & starts_undeclared(runs)
    order = [runs.counted_from, ibis.desc(runs.run == runs.lineage), runs.run]
    return runs.group_by(LINE).agg(undeclared=above.first(order_by=order))
