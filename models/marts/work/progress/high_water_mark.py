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

from models.contract.schema import NUMBER
from models.marts.work.progress.counters_excluding_repeats import COUNTED, RUN, readings, work_done
from models.marts.work.progress.undeclared_start import starts_of

COUNTERS = ("epoch", "samples", "tokens")
LINE = ("workload", "lineage", "counter")


def progress_steps(samples: ir.Table, run_registry: ir.Table, lineages: ir.Table) -> ir.Table:
    """`workload`, `run`, `lineage`, `counter`, `since`, `observed_at`, `rise`, `repeated`."""
    runs = run_registry.join(lineages, RUN)
    stood = ibis.union(*(readings(samples, runs, counter) for counter in COUNTERS))
    told = runs.select(*RUN, "lineage", "resumes", "start_epoch", "first_epoch", joint=_joint(runs))
    return _steps(work_done(stood), told)


def _joint(runs: ir.Table) -> ir.Value:
    """Whether the run's lineage has several runs, or a counter of what was done."""
    touched = runs.resumes | runs.by_increments.fill_null(False)
    return touched.any().over(ibis.window(group_by=["workload", "lineage"]))


def _steps(samples: ir.Table, runs: ir.Table) -> ir.Table:
    """The counters' steps; the start of a run is a sample of its own, at which nothing rises."""
    starts = starts_of(samples, runs)
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
