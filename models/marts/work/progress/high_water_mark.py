"""Converts cumulative counters to progress by high-water mark, per lineage of runs (METHOD §3.1).

`rise` is how far a sample moved its lineage's mark, in epochs (or samples, tokens): only that is
progress. `repeated` is work done again after a restart. Example: a run reports 0, 2, then restarts
and reports 1, 3: the rises are 2, 0 and 1, and 1 epoch is repeated.

A rise belongs to the time from `since`, the run's previous sample, to `observed_at`; a run's first
rise to its own moment. Duplicates and the order of arrival change nothing. A run that reports
samples, but no epochs, is counted by samples ÷ samples per epoch. A counter that excludes repeats
lifts the mark from where the lineage was (`counters_excluding_repeats`).
"""

from __future__ import annotations

from collections.abc import Mapping

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step
from models.contract.schema import NUMBER
from models.marts.work.progress.counters_excluding_repeats import COUNTED, RUN, readings, work_done
from models.marts.work.progress.run_starts import starts_of

COUNTERS = ("epoch", "samples", "tokens")
LINE = ("workload", "lineage", "counter")


@step(
    grain="workload × run × counter × observed_at",
    units="the counter's own: epochs, samples or tokens",
    nulls="none",
    method="§3.1",
    whose="run",
)
def progress_steps(samples: ir.Table, run_registry: ir.Table, lineages: ir.Table) -> ir.Table:
    """Computes the new and the repeated work at each sample of a run's counters."""
    runs = run_registry.join(lineages, RUN)
    runs = runs.mutate(by_epochs=_by_epochs(runs))
    counters = ibis.union(*(readings(samples, runs, counter) for counter in COUNTERS))
    columns = ("lineage", "resumes", "start_epoch", "starts_late")
    return _steps(work_done(counters), runs.select(*RUN, *columns, by_lineage=_by_lineage(runs)))


def _by_epochs(runs: ir.Table) -> ir.Value:
    """Whether a run's samples follow from its epochs, and its lineage of runs reports samples."""
    in_lineage = ibis.window(group_by=["workload", "lineage"])
    return runs.in_samples & ~runs.reports_samples & runs.reports_samples.any().over(in_lineage)


def _by_lineage(runs: ir.Table) -> ir.Value:
    """Whether a run's lineage has several runs, or a counter that excludes repeats."""
    touched = runs.resumes | runs.by_increments.fill_null(False)
    return touched.any().over(ibis.window(group_by=["workload", "lineage"]))


def _steps(samples: ir.Table, runs: ir.Table) -> ir.Table:
    """Computes new and repeated work at each sample of every counter; a start counts as none."""
    starts = starts_of(samples, runs)
    began = starts.select(*COUNTED, "lineage", "by_lineage", "takes_over", first_at="observed_at")
    given = samples.join(began, COUNTED)
    takes_over = given.takes_over & (given.observed_at == given.first_at)
    given = given.mutate(takes_over=takes_over, sampled=ibis.literal(value=True))
    given = given.select(starts.columns)
    single = given.filter(~given.by_lineage).union(starts.filter(~starts.by_lineage))
    several = given.filter(given.by_lineage).union(starts.filter(starts.by_lineage))
    moved = _steps_by_run(single).union(_steps_by_lineage(several))
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


def _steps_by_run(rows: ir.Table) -> ir.Table:
    """Computes counter positions before and after each sample, for lineages of a single run."""
    in_run = {"group_by": COUNTED, "order_by": ("observed_at", "sampled", "value")}
    until = ibis.rows_window(preceding=(None, 1), **in_run)
    rows = rows.mutate(before=rows.value.max().over(until), **_since(rows, in_run))
    return rows.mutate(high=ibis.greatest(rows.before, rows.value))


def _steps_by_lineage(rows: ir.Table) -> ir.Table:
    """Computes counter positions before and after each sample, for lineages of several runs."""
    rows = _with_mark(rows)
    return rows.mutate(**_since(rows, {"group_by": COUNTED, "order_by": _ORDER}))


def _since(rows: ir.Table, in_run: Mapping[str, tuple[str, ...]]) -> dict[str, ir.Value]:
    """Returns columns of the value (`previous`) and time (`since`) of the run's previous sample."""
    window = ibis.window(**in_run)
    return {"previous": rows.value.lag().over(window), "since": rows.observed_at.lag().over(window)}


def _with_mark(rows: ir.Table) -> ir.Table:
    """Adds the highest counter value of a lineage of runs at each sample, and just before it."""
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
