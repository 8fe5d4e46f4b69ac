"""Reads split cost rows: a container pod's or task's share of its instance (METHOD §2.9).

AWS delivers split cost allocation in the Cost and Usage Report only. A report that was converted to
FOCUS keeps a pod's parent instance and split cost under one of `PARENTS` and one of `SPLIT_COSTS`;
the pod's row costs $0 of its own there, and its effective cost is the split cost.
"""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.contract.rules.usage_type_patterns import INSTANCE_HOURS, POD
from models.formats import fields
from models.formats.bill.focus.columns import METERS

PARENTS = ("x_ParentResourceId", "ParentResourceId", "split_line_item_parent_resource_id")
SPLIT_COSTS = ("x_SplitCost", "SplitCost", "split_line_item_split_cost")
HOST = "hosted on"
"""The column of a pre-aggregated line that holds its `HostResourceId`."""


def is_pod(lines: ir.Table) -> ir.BooleanValue:
    """Whether a FOCUS line is the split cost row of a container pod, judged by its usage type."""
    meter = fields.text(lines, *METERS)
    return cast(ir.BooleanValue, meter.re_search(POD).fill_null(False))


def effective_cost(lines: ir.Table) -> ir.Value:
    """Returns a FOCUS line's effective cost; a pod's is its share of the instance's cost."""
    given = fields.amount(lines, "EffectiveCost")
    parts = [fields.amount(lines, name) for name in SPLIT_COSTS if name in lines.columns]
    return ibis.ifelse(is_pod(lines), ibis.coalesce(*parts, given), given) if parts else given


def names_hosts(lines: ir.Table) -> bool:
    """Whether a FOCUS delivery has a column that names a pod's instance."""
    return any(name in lines.columns for name in PARENTS)


def host(lines: ir.Table, run: ir.Value) -> ir.Value:
    """Returns the instance of a pod's line or of untagged instance-hours; null for other lines.

    It is null throughout a delivery without pods that name an instance, because instances need not
    be distinguished there.
    """
    if not (HOST in lines.columns or names_hosts(lines)):
        return ibis.null("string")
    meter = fields.text(lines, *METERS)
    untagged_hours = run.isnull() & meter.re_search(INSTANCE_HOURS).fill_null(False)
    parent = fields.text(lines, HOST, *PARENTS)
    own = parent if HOST in lines.columns else fields.text(lines, "ResourceId")
    return ibis.cases((is_pod(lines), parent), (untagged_hours, own))
