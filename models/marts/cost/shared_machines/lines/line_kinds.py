"""Parses the bill lines of shared machines, once for all lines that are alike."""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step
from models.contract.rules.usage_type_patterns import ACCELERATOR_HOURS, FEES_BY_INSTANCE
from models.marts.cost.charges.usage_types import INSTANCE, units_to_the_hour


@step(
    grain="kind: lines of one day that differ in machine, period and amounts alone",
    units="to_the_hour: billed units of an hour",
    nulls="type_: no instance type is named; to_the_hour: not a unit of time",
    method="§2.10",
    whose="company",
)
def line_kinds(due_kinds: ir.Table) -> ir.Table:
    """Parses each group of like bill lines: day, instance type, time unit, and if jobs divide it.

    `used` marks hours that jobs divide: usage of no run's tag that takes nothing back. `beside`
    marks volumes, traffic and fees that belong to a machine.
    """
    corrects = (due_kinds["class"] == "Correction").fill_null(False)
    fee = due_kinds.service.re_search(FEES_BY_INSTANCE).fill_null(False)
    timed = due_kinds.sku.re_search(ACCELERATOR_HOURS).fill_null(False) & ~fee
    return due_kinds.select(
        "kind",
        day="date",
        account="account",
        region="region",
        type_=_instance_type(due_kinds),
        to_the_hour=units_to_the_hour(cast(ir.StringValue, due_kinds.unit)),
        used=(due_kinds.category == "Usage") & ~corrects & timed & due_kinds.run.isnull(),
        beside=~timed,
    )


def _instance_type(kinds: ir.Table) -> ir.Value:
    return ibis.coalesce(kinds.sku.re_extract(INSTANCE, 0).nullif(""), kinds.sku_instance_type)
