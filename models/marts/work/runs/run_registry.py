"""Lists every run of the bill or of progress, with its attributes.

Attributes come from `[[runs]]`, else from the newest sample that states them, else from the tag of
that name if `tags.extra` lists it (the value with most of the accelerator-hours that the run was
charged directly). `purpose` is in lower case, and `production` unless something states another.
`in_epochs`, `in_tokens` and `in_samples` say in what its progress can be counted; a run that
reports samples and how many make an epoch, but no epochs, has epochs by samples (`by_samples`);
one that reports epochs of a single size has samples by epochs.
`recipes_differ` says that its samples name several recipes and the config none. `least_size` and
`most_size` are the samples per epoch that they state; `counted_from` is the time of its first
count, and `starts_late` says that it had done work before (`run_starts`). `by_increments` says that
its counters exclude repeats. `machines` is declared in the config. A run that has only samples
dated in the future has a name and no attributes; `future_samples` marks every run with such
samples.
"""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step
from models.contract.joins import left_join
from models.contract.money import ratio
from models.contract.rules.work.units_of_work import same_size
from models.marts.work.progress.run_starts import STARTS_ABOVE, jumped
from models.marts.work.runs.run_tags import most_tagged

RUN = ["workload", "run"]
ATTRIBUTES = ("recipe", "purpose", "resumed_from", "start_epoch")
TAGGED = ("recipe", "purpose", "resumed_from")
COUNTERS = ("epoch", "samples", "tokens")


@step(
    grain="workload × run",
    units="epochs; samples per epoch; times UTC",
    nulls="attributes: not stated; counters and times: nothing was reported",
    method="§3.1, §3.4",
    whose="run",
)
def run_registry(
    progress: ir.Table, samples: ir.Table, attributed: ir.Table, config_runs: ir.Table
) -> ir.Table:
    """Lists all runs of the bill and of progress; attributes from config, samples or tags."""
    own = attributed.filter(attributed.attribution == "direct")
    every = left_join(_names(own, progress), _sampled(samples), RUN)
    ahead = (every.newest > every.last_sample).fill_null(every.newest.notnull())
    every = every.mutate(future_samples=ahead).drop("newest")
    return _resolved(_with_config(every, config_runs), own)


def _names(own: ir.Table, progress: ir.Table) -> ir.Table:
    """Lists every run that was charged or reported, with the time of its newest sample."""
    names = own.select(*RUN, observed_at=ibis.null(progress.observed_at.type()))
    names = names.union(progress.select(names.columns))
    return names.group_by(RUN).agg(newest=names.observed_at.max())


def _with_config(runs: ir.Table, config_runs: ir.Table) -> ir.Table:
    """Adds to runs the attributes that their `[[runs]]` entries in the config state.

    An entry without a workload applies to the run of that name in every workload.
    """
    configured = config_runs.select(
        config_run="run",
        config_workload="workload",
        machines="machines",
        **{f"{n}_configured": n for n in ATTRIBUTES},
    )
    same = runs.workload == ibis.coalesce(configured.config_workload, runs.workload)
    joined = runs.left_join(configured, [runs.run == configured.config_run, same])
    return joined.drop("config_run", "config_workload")


def _resolved(runs: ir.Table, own: ir.Table) -> ir.Table:
    """Takes each run attribute from the config, else the newest sample, else its tag."""
    tagged = [n for n in TAGGED if f"tag_{n}" in own.columns]
    for name in tagged:
        runs = left_join(runs, most_tagged(own, f"tag_{name}"), RUN)
    sources = {
        n: [f"{n}_configured", n, *([f"tag_{n}"] if n in tagged else [])] for n in ATTRIBUTES
    }
    resolved = runs.mutate(
        **{n: ibis.coalesce(*(runs[source] for source in order)) for n, order in sources.items()}
    )
    given = resolved.purpose.strip().lower().nullif("").fill_null("production")
    several = resolved.recipes_differ & resolved.recipe_configured.isnull()
    return resolved.mutate(purpose=given, recipes_differ=several.fill_null(False)).drop(
        *(f"{n}_configured" for n in ATTRIBUTES), *(f"tag_{n}" for n in tagged)
    )


def _sampled(samples: ir.Table) -> ir.Table:
    """Collects what each run's progress samples state, and where its counters start."""
    newest = {
        name: samples[name].last(order_by=["observed_at", "epoch", name])
        for name in (*ATTRIBUTES, "samples_per_epoch")
    }
    sampled = samples.group_by(RUN).agg(
        **newest,
        recipes_differ=samples.recipe.min() != samples.recipe.max(),
        least_size=samples.samples_per_epoch.min(),
        most_size=samples.samples_per_epoch.max(),
        by_increments=samples.excludes_repeats.any(),
        timed_by_allocation=samples.timed_by_allocation.any(),
        first_sample=samples.observed_at.min(),
        last_sample=samples.observed_at.max(),
        counted_from=ibis.coalesce(
            *(samples.observed_at.min(where=samples[name].notnull()) for name in COUNTERS)
        ),
        in_samples=samples.samples.notnull().any(),
        in_tokens=samples.tokens.notnull().any(),
        first_epoch=samples.epoch.first(order_by=["observed_at", "epoch"]),
        first_samples=samples.samples.first(order_by=["observed_at", "samples"]),
    )
    derived = ratio(sampled.first_samples, sampled.samples_per_epoch)
    sampled = sampled.mutate(
        by_samples=sampled.first_epoch.isnull() & derived.notnull(),
        in_samples=sampled.in_samples | _sized(sampled).fill_null(False),
        reports_samples=sampled.in_samples,
        first_epoch=ibis.coalesce(sampled.first_epoch, derived),
    ).drop("first_samples")
    sampled = sampled.mutate(in_epochs=sampled.first_epoch.notnull())
    jumps = left_join(
        sampled, jumped(samples.semi_join(sampled.filter(~sampled.in_epochs), RUN)), RUN
    )
    late = ibis.ifelse(jumps.in_epochs, jumps.first_epoch > STARTS_ABOVE, jumps.jumped)
    return jumps.mutate(starts_late=late.fill_null(False)).drop("jumped")


def _sized(sampled: ir.Table) -> ir.BooleanValue:
    """Whether a run reports epochs of a known number of samples, the same one all along."""
    one_size = same_size(sampled.most_size, sampled.least_size)
    known = sampled.first_epoch.notnull() & (sampled.samples_per_epoch > 0)
    return cast(ir.BooleanValue, known & one_size)
