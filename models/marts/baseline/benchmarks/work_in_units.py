"""Chooses the unit of benchmarks, and converts their work to it (METHOD §3.4).

It is the unit of the kind if the kind has one, so that benchmarks and baseline count the same. For
a kind that only has benchmarks: the pinned unit, else the first of epochs, tokens and samples that
runs on both chips report, else the first that any run reports.
"""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.contract.joins import left_join
from models.contract.money import product
from models.contract.rules.work.kinds_of_work import KIND
from models.contract.rules.work.units_of_work import SIZE, same_size
from models.contract.schema import NUMBER
from models.contract.units import EPOCH, SAMPLES, TOKENS, UNITS

RUN = ["workload", "run"]


def work_in_units(parts: ir.Table, runs: ir.Table) -> ir.Table:
    """Lists each benchmark's work once per unit in which it is known: epochs, tokens, samples.

    `runs` have `samples_per_epoch` and the `usual` number of their kind: epochs of another size
    count other work.
    """
    columns = [*RUN, *KIND[1:], "hardware", "samples_per_epoch", "usual", "reports_samples"]
    rows = parts.join(runs.select(columns), RUN)
    epochs = rows.filter(rows.counter == "epoch")
    derived = ~epochs.reports_samples.fill_null(False) & (epochs.samples_per_epoch > 0)
    derived_samples = epochs.filter(derived.fill_null(False))
    by_unit = {
        EPOCH: epochs.filter(same_size(epochs.samples_per_epoch, epochs.usual)),
        TOKENS: rows.filter(rows.counter == "tokens"),
        SAMPLES: rows.filter((rows.counter == "samples") & rows.reports_samples).union(
            derived_samples.mutate(
                work=product(derived_samples.work, derived_samples.samples_per_epoch)
            )
        ),
    }
    return cast(ir.Table, ibis.union(*(_sized(of, unit) for unit, of in by_unit.items())))


def _sized(rows: ir.Table, unit: str) -> ir.Table:
    """Converts rows' work to a unit: epochs, billion tokens or million samples."""
    size = ibis.literal(SIZE[unit]).cast(NUMBER)
    work = rows.work if unit == EPOCH else product(rows.work, size)
    return rows.mutate(unit=ibis.literal(unit), work=work.cast(NUMBER))


def units_of_kinds(
    runs: ir.Table, worked: ir.Table, kinds: ir.Table, config_workloads: ir.Table
) -> ir.Table:
    """Chooses the unit of each training recipe's benchmarks: epochs, tokens or samples."""
    each = worked.group_by(*KIND, "unit").agg(
        gpu=(worked.hardware == "gpu").any().fill_null(False),
        trainium=(worked.hardware == "trainium").any().fill_null(False),
    )
    place = ibis.cases(*((each.unit == unit, at) for at, unit in enumerate(UNITS)))
    order = [ibis.desc(each.gpu & each.trainium), place]
    ranked = each.mutate(place=ibis.row_number().over(ibis.window(group_by=KIND, order_by=order)))
    first = ranked.filter(ranked.place == 0).select(*KIND, first="unit")
    rows = left_join(runs.select(KIND).distinct(), first, KIND)
    rows = left_join(rows, kinds.select(*KIND, known="unit"), KIND)
    rows = left_join(rows, config_workloads.select("workload", pinned="unit"), ["workload"])
    return rows.select(
        *KIND, unit=ibis.coalesce(rows.known, rows.pinned, rows["first"], ibis.literal(EPOCH))
    )
