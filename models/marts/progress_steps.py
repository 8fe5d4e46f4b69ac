"""Samples as steps: how far each sample moved its lineage's high-water mark.

Grain: one row a sample and counter. `rise` is real progress in epochs (or samples, tokens),
`repeated` is work done again after a restart (METHOD §3.1). `since` is the run's previous sample:
a rise over a gap belongs to the time from `since` to `observed_at`; a run's first rise to its own
moment. Identical duplicates and any order of arrival change nothing. Epochs of a run that reports
none are its samples ÷ its samples per epoch.

A counter that excludes repeats says what the run did itself: it lifts the mark from where the
lineage stood. Where a run has both kinds, only the one that says where it stands counts.
"""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.money import ratio
from models.schema import NUMBER

RUN = ("workload", "run")
COUNTERS = ("epoch", "samples", "tokens")
LINE = (*RUN, "lineage")
NOTHING = ibis.literal(0).cast(NUMBER)


def progress_steps(samples: ir.Table, run_registry: ir.Table, lineages: ir.Table) -> ir.Table:
    """`workload`, `run`, `lineage`, `counter`, `since`, `observed_at`, `rise`, `repeated`."""
    runs = run_registry.join(lineages, ["workload", "run"])
    told = runs.select(
        *LINE, "resumes", "start_epoch", "first_epoch", "by_samples", "samples_per_epoch"
    )
    steps = [_steps(samples, told, counter) for counter in COUNTERS]
    return cast(ir.Table, ibis.union(*steps))


def _steps(given: ir.Table, runs: ir.Table, counter: str) -> ir.Table:
    """The counter's steps; the start of a run is a sample of its own, at which nothing rises."""
    samples = _samples(given, runs, counter)
    starts = _starts(samples, counter)
    began = starts.select(*RUN, first_at="observed_at")
    samples = samples.join(began, RUN)
    takes_over = samples.resumes & (samples.observed_at == samples.first_at)
    said = samples.mutate(takes_over=takes_over, sampled=ibis.literal(value=True))
    mark = _marked(said.select(starts.columns).union(starts))
    in_run = ibis.window(group_by=[*RUN], order_by=_ORDER)
    moved = mark.mutate(
        previous=mark.value.lag().over(in_run), since=mark.observed_at.lag().over(in_run)
    ).filter(lambda row: row.sampled)
    rise = ibis.greatest(moved.high - moved.before, 0)
    return moved.select(
        "workload",
        "run",
        "lineage",
        "observed_at",
        counter=ibis.literal(counter),
        since=moved.since,
        rise=rise.cast(NUMBER),
        repeated=ibis.greatest(moved.value - moved.previous - rise, 0).cast(NUMBER),
    )


def _marked(rows: ir.Table) -> ir.Table:
    """`high`: how far the lineage had got, by what its runs said of themselves or did; `before`."""
    in_lineage = {"group_by": ["workload", "lineage"], "order_by": _ORDER}
    so_far = ibis.cumulative_window(**in_lineage)
    until = ibis.rows_window(preceding=(None, 1), **in_lineage)
    counting = rows.filter(rows.own > 0).select("workload", "lineage")
    plain = rows.anti_join(counting, ["workload", "lineage"])
    plain = plain.mutate(before=plain.value.max().over(until))
    plain = plain.mutate(high=ibis.greatest(plain.before, plain.value))
    mixed = rows.semi_join(counting, ["workload", "lineage"])
    mixed = mixed.mutate(done=mixed.own.sum().over(so_far))
    mixed = mixed.mutate(above=(mixed.value - mixed.done).max().over(so_far))
    mixed = mixed.mutate(high=(mixed.above + mixed.done).cast(NUMBER)).drop("done", "above")
    before = mixed.high.lag().over(ibis.window(**in_lineage))
    return plain.union(mixed.mutate(before=before))


_ORDER = ("observed_at", "takes_over", "sampled", "value", "own", "run")
"""Within an instant a run that resumes starts and reports after all others."""


def _samples(given: ir.Table, runs: ir.Table, counter: str) -> ir.Table:
    """Where each run stood at its samples, once, or what it did since the one before."""
    told = runs.drop("samples_per_epoch")
    given = given.join(runs.select("workload", "run", "samples_per_epoch", "by_samples"), RUN)
    if counter == "epoch":
        derived = ratio(given.samples, given["samples_per_epoch_right"])
        value = ibis.coalesce(given.epoch, ibis.ifelse(given.by_samples, derived, None))
    else:
        value = given[counter]
    stood = given.select(
        *RUN,
        "observed_at",
        value=value.cast(NUMBER),
        counted=given.excludes_repeats.fill_null(False),
    )
    stood = stood.filter(stood.value.notnull())
    stands = stood.filter(~stood.counted).drop("counted").mutate(own=NOTHING)
    alone = stood.anti_join(stands, RUN)
    return stands.union(_own(alone)).join(told, RUN)


def _own(counted: ir.Table) -> ir.Table:
    """What runs did themselves since the sample before; where they stood is not said."""
    before = counted.value.lag().over(ibis.window(group_by=[*RUN], order_by="observed_at"))
    own = (counted.value - before.fill_null(0)).cast(NUMBER)
    return counted.select(*RUN, "observed_at", value=ibis.null(NUMBER), own=own)


def _starts(samples: ir.Table, counter: str) -> ir.Table:
    """Where each run starts: declared, 0, where its parent stood (null), or at its first sample.

    A run that starts late, declared or not, says nothing of its samples and tokens before. Where
    a parent stood that had reported nothing by then is not known: the child starts as a first run.
    """
    first = samples.group_by(*LINE, "resumes", "start_epoch", "first_epoch").agg(
        first_at=samples.observed_at.min(),
        first_value=ibis.coalesce(samples.value.first(order_by=["observed_at", "value"]), 0),
    )
    order = ibis.window(
        group_by=["workload", "lineage"], order_by=[first.first_at, first.resumes, first.run]
    )
    first = first.mutate(
        goes_on=first.resumes & (ibis.row_number().over(order) > 0),
        late=ibis.coalesce(first.start_epoch > 0, first.first_epoch > 1),
    )
    start = ibis.ifelse(first.goes_on, None, ibis.ifelse(first.late, first.first_value, 0))
    if counter == "epoch":
        start = ibis.coalesce(first.start_epoch, start)
    return first.select(
        *LINE,
        observed_at=first.first_at,
        value=start.cast(NUMBER),
        own=NOTHING,
        takes_over=first.resumes,
        sampled=ibis.literal(value=False),
    )
