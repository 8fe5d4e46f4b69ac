"""What a run's counters say: where it stands, or, excluding repeats, what it did itself.

A counter that excludes repeats counts the run's own work from 0, wherever its parent stood, so its
rises are progress and it never says where the run stands (METHOD §3.1). Where a run has both kinds
of counter, only the one that says where it stands counts.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.money import ratio
from models.contract.schema import NUMBER

RUN = ("workload", "run")
COUNTED = (*RUN, "counter")
NOTHING = ibis.literal(0).cast(NUMBER)


def readings(given: ir.Table, runs: ir.Table, counter: str) -> ir.Table:
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


def work_done(stood: ir.Table) -> ir.Table:
    """Where each run stood at its samples, once, or what it did since the one before."""
    stands = stood.filter(~stood.counted).drop("counted").mutate(own=NOTHING)
    return stands.union(_own(stood.filter(stood.counted).anti_join(stands, COUNTED)))


def _own(counted: ir.Table) -> ir.Table:
    """What runs did themselves since the sample before; where they stood is not said."""
    before = counted.value.lag().over(ibis.window(group_by=COUNTED, order_by="observed_at"))
    own = (counted.value - before.fill_null(0)).cast(NUMBER)
    return counted.select(*RUN, "observed_at", "counter", value=ibis.null(NUMBER), own=own)
