"""Computes what fraction of its machine each job held, by interval and day.

That is its accelerators or its share. Parts that nobody counted depend on who else was there at the
time: `weights_by_moment` determines them.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step
from models.contract.joins import left_join, same_keys
from models.marts.cost.charges.usage_types import instance_types
from models.marts.cost.shared_machines.lines.machine_or_pool import pool_unit
from models.marts.cost.shared_machines.owner_numbers import owner_columns

OF_INTERVAL = (
    "date", "resource", "reason", "starts", "ends", "began", "ended", "accelerators", "share",
    "dollars", "of_bill",
)  # fmt: skip
"""What counts of an interval beside what is computed here; the rest is texts of its job."""
RUN = "run"
"""The reason of an interval in which a job held its part."""


@step(
    grain="interval of one UTC day",
    units="fraction: part of the machine, of 1; began, ended: UTC",
    nulls="fraction: nobody counted; place: a machine that is known by itself",
    method="§2.10.2",
    whose="run",
)
def fractions_held(held_near: ir.Table, owner_numbers: ir.Table, catalog: ir.Table) -> ir.Table:
    """Adds to each interval (of a job, or idle for a reason) owner, machine or pool, and fraction.

    The fraction is accelerators held of the machine's, else `share`. Intervals of no accelerator
    are left out: they bear nothing. `processors` is the part of the machine's CPUs, by what is told
    of it, else by the catalogue. `place` is the node of a pool, on which a job may be alone.
    """
    kinds = instance_types(catalog).select("instance_type", "vcpus", has="accelerators")
    rows = left_join(held_near, kinds, ["instance_type"])
    whole = ibis.coalesce(rows["of"], rows.has).cast("float64").nullif(0)
    processors = ibis.coalesce(rows.of_cpus, rows.vcpus).cast("float64").nullif(0)
    counted = rows.accelerators.cast("float64") / whole
    pool = pool_unit(rows.cluster, rows.instance_type, rows.pool_account, rows.pool_region)
    rows = rows.filter((rows.accelerators != 0).fill_null(True) | (rows.reason != RUN))
    rows = rows.mutate(
        unit=ibis.coalesce(rows.resource, pool),
        place=ibis.ifelse(rows.resource.isnull(), ibis.coalesce(rows.node, rows.job, ""), ""),
        fraction=ibis.coalesce(counted, rows.share.cast("float64")),
        processors=rows.cpus.cast("float64") / processors,
    )
    names = owner_columns(held_near)
    numbers = owner_numbers.select("owner", **{f"{name}_of": owner_numbers[name] for name in names})
    joined = rows.join(numbers, same_keys(rows, numbers, names, "_of"))
    return joined.select(*OF_INTERVAL, "unit", "place", "fraction", "processors", "owner")
