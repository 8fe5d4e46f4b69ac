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

from collections.abc import Mapping

import ibis
import ibis.expr.types as ir

from models.contract.money import ratio
from models.contract.schema import NUMBER

RUN = ("workload", "run")
COUNTERS = ("epoch", "samples", "tokens")
COUNTED = (*RUN, "counter")
LINE = ("workload", "lineage", "counter")
NOTHING = ibis.literal(0).cast(NUMBER)


def progress_steps(samples: ir.Table, run_registry: ir.Table, lineages: ir.Table) -> ir.Table:
    """`workload`, `run`, `lineage`, `counter`, `since`, `observed_at`, `rise`, `repeated`."""
    runs = run_registry.join(lineages, RUN)
    stood = ibis.union(*(_stood(samples, runs, counter) for counter in COUNTERS))
    told = runs.select(*RUN, "lineage", "resumes", "start_epoch", "first_epoch", joint=_joint(runs))
    return _steps(_done(stood), told)


def _joint(runs: ir.Table) -> ir.Value:
    """Whether the run's lineage has several runs, or a counter of what was done."""
    touched = runs.resumes | runs.by_increments.fill_null(False)
    return touched.any().over(ibis.window(group_by=["workload", "lineage"]))


def _steps(samples: ir.Table, runs: ir.Table) -> ir.Table:
    """The counters' steps; the start of a run is a sample of its own, at which nothing rises."""
    starts = _starts(samples, runs)
    began = starts.select(*COUNTED, "lineage", "joint", "takes_over", first_at="observed_at")
    said = samples.join(began, COUNTED)
    takes_over = said.takes_over & (said.observed_at == said.first_at)
    said = said.mutate(takes_over=takes_over, sampled=ibis.literal(value=True))
    said = said.select(starts.columns)
    alone = _alone(said.filter(~said.joint), starts.filter(~starts.joint))
    moved = alone.union(_several(said.filter(said.joint), starts.filter(starts.joint)))
    moved = moved.filter(moved.sampled)
    rise = ibis.greatest(moved.high - moved.before, 0)
    return moved.select(
        *COUNTED,
        "lineage",
        "observed_at",
        "since",
        rise=rise.cast(NUMBER),
        repeated=ibis.greatest(moved.value - moved.previous - rise, 0).cast(NUMBER),
    )


def _alone(said: ir.Table, starts: ir.Table) -> ir.Table:
    """Steps of lineages of one run, sorted once: most are."""
    rows = said.union(starts)
    in_run = {"group_by": COUNTED, "order_by": ("observed_at", "sampled", "value")}
    until = ibis.rows_window(preceding=(None, 1), **in_run)
    rows = rows.mutate(before=rows.value.max().over(until), **_since(rows, in_run))
    return rows.mutate(high=ibis.greatest(rows.before, rows.value))


def _several(said: ir.Table, starts: ir.Table) -> ir.Table:
    """Steps of lineages in which one run goes on where another stood, or says what it did."""
    rows = _marked(said.union(starts))
    return rows.mutate(**_since(rows, {"group_by": COUNTED, "order_by": _ORDER}))


def _since(rows: ir.Table, in_run: Mapping[str, tuple[str, ...]]) -> dict[str, ir.Value]:
    """Where the run stood before, and when."""
    window = ibis.window(**in_run)
    return {"previous": rows.value.lag().over(window), "since": rows.observed_at.lag().over(window)}


def _marked(rows: ir.Table) -> ir.Table:
    """`high`: how far the lineage had got, by what its runs said of themselves or did; `before`."""
    in_lineage = {"group_by": LINE, "order_by": _ORDER}
    so_far = ibis.cumulative_window(**in_lineage)
    until = ibis.rows_window(preceding=(None, 1), **in_lineage)
    counting = rows.filter(rows.own > 0).select(LINE)
    plain = rows.anti_join(counting, LINE)
    plain = plain.mutate(before=plain.value.max().over(until))
    plain = plain.mutate(high=ibis.greatest(plain.before, plain.value))
    mixed = rows.semi_join(counting, LINE)
    mixed = mixed.mutate(done=mixed.own.sum().over(so_far))
    mixed = mixed.mutate(above=(mixed.value - mixed.done).max().over(so_far))
    mixed = mixed.mutate(high=(mixed.above + mixed.done).cast(NUMBER)).drop("done", "above")
    before = mixed.high.lag().over(ibis.window(**in_lineage))
    return plain.union(mixed.mutate(before=before).select(plain.columns))


_ORDER = ("observed_at", "takes_over", "sampled", "value", "own", "run")
"""Within an instant a run that resumes starts and reports after all others."""


def _stood(given: ir.Table, runs: ir.Table, counter: str) -> ir.Table:
    """What the counter said at each sample; `counted`: of what was done since the one before."""
    value = given[counter]
    if counter == "epoch":
        sized = runs.select(*RUN, "by_samples", size="samples_per_epoch")
        given = given.join(sized, RUN)
        derived = ratio(given.samples, given["size"])
        value = ibis.coalesce(given.epoch, ibis.ifelse(given.by_samples, derived, None))
    stood = given.select(
        *RUN,
        "observed_at",
        counter=ibis.literal(counter),
        value=value.cast(NUMBER),
        counted=given.excludes_repeats.fill_null(False),
    )
    return stood.filter(stood.value.notnull())


def _done(stood: ir.Table) -> ir.Table:
    """Where each run stood at its samples, once, or what it did since the one before."""
    stands = stood.filter(~stood.counted).drop("counted").mutate(own=NOTHING)
    return stands.union(_own(stood.filter(stood.counted).anti_join(stands, COUNTED)))


def _own(counted: ir.Table) -> ir.Table:
    """What runs did themselves since the sample before; where they stood is not said."""
    before = counted.value.lag().over(ibis.window(group_by=COUNTED, order_by="observed_at"))
    own = (counted.value - before.fill_null(0)).cast(NUMBER)
    return counted.select(*RUN, "observed_at", "counter", value=ibis.null(NUMBER), own=own)


def _starts(samples: ir.Table, runs: ir.Table) -> ir.Table:
    """Where each run starts: declared, 0, where its parent stood (null), or at its first sample.

    A run that starts late, declared or not, says nothing of its samples and tokens before. Where
    a parent stood that had reported nothing by then is not known: the child starts as a first run.
    """
    first = samples.group_by(COUNTED).agg(
        first_at=samples.observed_at.min(),
        first_value=ibis.coalesce(samples.value.first(order_by=["observed_at", "value"]), 0),
    )
    first = first.join(runs, RUN)
    order = ibis.window(group_by=LINE, order_by=[first.first_at, first.resumes, first.run])
    first = first.mutate(
        goes_on=first.resumes & (ibis.row_number().over(order) > 0),
        late=ibis.coalesce(first.start_epoch > 0, first.first_epoch > 1),
        declared=ibis.ifelse(first.counter == "epoch", first.start_epoch, None),
    )
    start = ibis.ifelse(first.goes_on, None, ibis.ifelse(first.late, first.first_value, 0))
    return first.select(
        *COUNTED,
        "lineage",
        "joint",
        observed_at=first.first_at,
        value=ibis.coalesce(first.declared, start).cast(NUMBER),
        own=NOTHING,
        takes_over=first.resumes,
        sampled=ibis.literal(value=False),
    )
