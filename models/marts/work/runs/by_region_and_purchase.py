"""Splits each run's cost by region, purchase option, instance type and account."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import mart
from models.contract.joins import left_join
from models.contract.money import ZERO, allocated, cost_sums, zero_if_null
from models.contract.schema import EXPLAINERS, NUMBER

PLACE = ("region", "purchase_option", "instance_type", "account")


@mart(
    grain="workload × run × region × purchase_option × instance_type × account; a run without a "
    "charge is one row",
    units="dollars on the four bases; accelerator hours; epochs (the kind's unit)",
    nulls="a cost is null as soon as one row's is; place and costs: a run without a charge",
    method="§4.4",
    whose="run",
)
def run_parts(spend_daily: ir.Table, unit_daily: ir.Table) -> ir.Table:
    """Splits each run's settled cost and epochs by region, purchase option, type and account.

    Epochs are split by accelerator-hours.
    """
    settled = unit_daily.filter(unit_daily.settled)
    rows = spend_daily.semi_join(settled, ["date", "workload", "run"])
    parts = (
        rows.group_by("workload", "run", *PLACE)
        .agg(accelerator_hours=rows.accelerator_hours.sum(), **cost_sums(rows))
        .mutate(charged=ibis.literal(value=True))
    )
    done = unit_daily.group_by("workload", "run").agg(
        epochs=zero_if_null(unit_daily.epochs.sum(where=unit_daily.settled))
    )
    split = _split_epochs(left_join(done, parts, ["workload", "run"]))
    return split.select(*EXPLAINERS["run_parts"])


def _split_epochs(parts: ir.Table) -> ir.Table:
    """Splits a run's epochs over its parts by accelerator-hours; without any, all to the first."""
    run = ["workload", "run"]
    rows = parts.mutate(
        charged=parts.charged.fill_null(False),
        every=parts.accelerator_hours.sum().over(ibis.window(group_by=run)),
        place=ibis.row_number().over(ibis.window(group_by=run, order_by=PLACE)),
    )
    hours, first = ibis.coalesce(rows.accelerator_hours, ZERO), (rows.place == 0).cast(NUMBER)
    rows = rows.mutate(weight=ibis.ifelse(rows.every > 0, hours, first))
    return allocated(rows, ["epochs"], weight="weight", within=run, owner="place")
