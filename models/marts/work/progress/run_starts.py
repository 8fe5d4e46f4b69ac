"""Determines where each run's progress starts, and which runs start high without declaring it.

A run starts at 0, at its `start_epoch`, or where its parent was. One whose first sample is above
one epoch and that declares nothing is counted from that sample; without epochs, one whose first
sample is above ten times its own median distance between samples (METHOD §3.1). Example: a first
sample at epoch 40 without `start_epoch` makes no progress of 40 epochs, but starts at 40.
`runs.run_registry` applies both limits.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.schema import NUMBER
from models.marts.work.progress.counters_excluding_repeats import COUNTED, NOTHING, RUN

LINE = ("workload", "lineage", "counter")
STARTS_ABOVE = 1
"""Epochs."""
DISTANCES = 10


def starts_undeclared(runs: ir.Table) -> ir.BooleanValue:
    """Returns the condition that a run's counter starts high and no `start_epoch` is declared."""
    return runs.start_epoch.isnull() & runs.starts_late


def jumped(samples: ir.Table) -> ir.Table:
    """Returns, per run, whether its first sample exceeds ten times its usual rise between samples.

    The distance is the median of those that are not 0. A run with one sample has none, so whether
    its work began at 0 is unknown, and it counts as above.
    """
    both = ibis.union(
        *(
            _distances(samples, counter, place)
            for place, counter in enumerate(("samples", "tokens"))
        )
    )
    each = both.group_by(*RUN, "counter").agg(
        first=both.value.first(order_by=["observed_at", "value"]), usual=both.distance.median()
    )
    above = each["first"].cast("float64") > each.usual.fill_null(0) * DISTANCES
    return each.group_by(RUN).agg(jumped=above.any())


def _distances(samples: ir.Table, counter: str, place: int) -> ir.Table:
    """Computes how far a run's counter moved between samples, up or down; null where it did not."""
    given = samples.filter(samples[counter].notnull())
    order = ibis.window(group_by=RUN, order_by=["observed_at", counter])
    moved = (given[counter] - given[counter].lag().over(order)).abs().cast("float64")
    return given.select(
        *RUN,
        "observed_at",
        counter=ibis.literal(place),
        value=given[counter].cast(NUMBER),
        distance=moved.nullif(0),
    )


def starts_of(samples: ir.Table, runs: ir.Table) -> ir.Table:
    """Returns the value and the time at which each of a run's progress counters starts.

    The value is the declared `start_epoch`, or 0, or the first sample of a run that starts late. It
    is null where the run starts where its parent was. For a run that starts late,
    declared or not, nothing is known of its samples and tokens before. A child of a parent that had
    reported nothing by then starts as a first run does.
    """
    first = samples.group_by(COUNTED).agg(
        first_at=samples.observed_at.min(),
        first_value=ibis.coalesce(samples.value.first(order_by=["observed_at", "value"]), 0),
    )
    first = first.join(runs, RUN)
    order = ibis.window(group_by=LINE, order_by=[first.first_at, first.resumes, first.run])
    first = first.mutate(
        goes_on=first.resumes & (ibis.row_number().over(order) > 0),
        late=ibis.coalesce(first.start_epoch > 0, first.starts_late),
        declared=ibis.ifelse(first.counter == "epoch", first.start_epoch, None),
    )
    start = ibis.ifelse(first.goes_on, None, ibis.ifelse(first.late, first.first_value, 0))
    return first.select(
        *COUNTED,
        "lineage",
        "by_lineage",
        observed_at=first.first_at,
        value=ibis.coalesce(first.declared, start).cast(NUMBER),
        own=NOTHING,
        takes_over=first.resumes,
        sampled=ibis.literal(value=False),
    )
