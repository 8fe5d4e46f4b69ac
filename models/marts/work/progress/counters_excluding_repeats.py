"""Reads progress counters: positions of a run, or work that excludes repeats.

Most counters say how far a run has got. A counter that excludes repeats (CloudWatch `Sum`) counts
the run's own work from 0, wherever its parent was, so its rises are progress and it never says how
far the run has got (METHOD §3.1). Where a run has both, only the one that gives positions counts.
The config must say that a `Sum` excludes repeats: `models.config.metrics.cloudwatch_metrics`.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.money import product, ratio
from models.contract.schema import NUMBER

RUN = ("workload", "run")
COUNTED = (*RUN, "counter")
NOTHING = ibis.literal(0).cast(NUMBER)


def readings(given: ir.Table, runs: ir.Table, counter: str) -> ir.Table:
    """Lists the values of one progress counter (epochs, samples or tokens) by run and sample time.

    For a run that reports samples alone, epochs are its samples ÷ its samples per epoch. For one
    that reports epochs alone in a lineage that reports samples, these are its epochs × that.
    """
    given = given.join(runs.select(*RUN, "by_samples", "by_epochs", size="samples_per_epoch"), RUN)
    value = given[counter]
    if counter == "epoch":
        derived = ratio(given.samples, given["size"])
        value = ibis.coalesce(given.epoch, ibis.ifelse(given.by_samples, derived, None))
    elif counter == "samples":
        derived = product(given.epoch, given["size"])
        value = ibis.coalesce(given.samples, ibis.ifelse(given.by_epochs, derived, None))
    read = given.select(
        *RUN,
        "observed_at",
        counter=ibis.literal(counter),
        value=value.cast(NUMBER),
        counted=given.excludes_repeats.fill_null(False),
    )
    return read.filter(read.value.notnull())


def work_done(read: ir.Table) -> ir.Table:
    """Converts counter readings to positions of runs or, if these exclude repeats, work per sample.

    A reading that excludes repeats has no position (null), and as work what was added since the
    sample before.
    """
    positions = read.filter(~read.counted).drop("counted").mutate(own=NOTHING)
    return positions.union(_own(read.filter(read.counted).anti_join(positions, COUNTED)))


def _own(counted: ir.Table) -> ir.Table:
    """Computes the work since a run's previous sample, for counters that exclude repeats."""
    before = counted.value.lag().over(ibis.window(group_by=COUNTED, order_by="observed_at"))
    own = (counted.value - before.fill_null(0)).cast(NUMBER)
    return counted.select(*RUN, "observed_at", "counter", value=ibis.null(NUMBER), own=own)
