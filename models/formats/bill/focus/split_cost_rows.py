"""Reads split cost rows: a container pod's or task's share of its instance (METHOD §2.9).

AWS delivers split cost allocation in the Cost and Usage Report only. A report that was converted to
FOCUS keeps a pod's parent instance and split cost under one of `PARENTS` and one of `SPLIT_COSTS`;
the pod's row costs $0 of its own there, and its effective cost is the split cost.
"""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.contract.rules.usage_type_patterns import INSTANCE_HOURS, POD, POD_PROCESSORS
from models.contract.schema import NUMBER
from models.formats import fields
from models.formats.bill.focus.columns import METERS, QUANTITIES

PARENTS = ("x_ParentResourceId", "ParentResourceId", "split_line_item_parent_resource_id")
SPLIT_COSTS = ("x_SplitCost", "SplitCost", "split_line_item_split_cost")
RESERVED_USAGE = ("x_SplitReservedUsage", "split_line_item_reserved_usage")
SPLIT_USAGE = ("x_SplitUsage", "split_line_item_split_usage")
RATIO = ("x_SplitUsageRatio", "split_line_item_split_usage_ratio")
UNUSED_COST = ("x_SplitUnusedCost", "split_line_item_unused_cost")
PODS = ("PodAccelerators", "PodShare", "PodCost")
HOST = "hosted on"
"""The column of a pre-aggregated line that holds its `HostResourceId`."""


def is_pod(lines: ir.Table) -> ir.BooleanValue:
    """Returns the condition that a FOCUS line is a pod's split cost row, by its usage type."""
    meter = fields.text(lines, *METERS)
    return cast(ir.BooleanValue, meter.re_search(POD).fill_null(False))


def effective_cost(lines: ir.Table) -> ir.Value:
    """Returns the column of effective cost; on a pod's row, its share of the instance's cost."""
    given = fields.amount(lines, "EffectiveCost")
    parts = [fields.amount(lines, name) for name in SPLIT_COSTS if name in lines.columns]
    return ibis.ifelse(is_pod(lines), ibis.coalesce(*parts, given), given) if parts else given


def names_hosts(lines: ir.Table) -> bool:
    """Whether a FOCUS delivery has a column that names a pod's instance."""
    return any(name in lines.columns for name in PARENTS)


def names_pods(lines: ir.Table) -> bool:
    """Whether FOCUS lines have columns of pods: their instances, or amounts computed from these."""
    return PODS[0] in lines.columns or names_hosts(lines)


def host(lines: ir.Table, run: ir.Value) -> ir.Value:
    """Returns the column of instances behind pods and untagged instance-hours; null elsewhere.

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


def held_by_pod(lines: ir.Table) -> dict[str, ir.Value]:
    """Maps column names to a pod's accelerator-hours, its part of them where unknown, and its cost.

    The accelerator-hours are the reserved usage, else the split usage, and the part is AWS's ratio.
    Where a row has none of them, its quantity is the split usage, as in FOCUS. The cost is what AWS
    split to the pod, with the unused part. Rows of vCPUs and memory have a cost only, rows of no
    pod nothing.
    """
    if PODS[0] in lines.columns:
        return {name: lines[name] for name in PODS}
    pod = is_pod(lines)
    chips = pod & ~fields.text(lines, *METERS).re_search(POD_PROCESSORS).fill_null(False)
    ratio, quantity = _first(lines, RATIO), _first(lines, QUANTITIES)
    used = _first(lines, RESERVED_USAGE, SPLIT_USAGE)
    used = ibis.coalesce(used, ibis.ifelse(ratio.isnull(), quantity, None))
    cost = effective_cost(lines).cast(NUMBER) + _first(lines, UNUSED_COST).fill_null(0)
    return {
        "PodAccelerators": ibis.ifelse(chips, used, None).cast(NUMBER),
        "PodShare": ibis.ifelse(chips & used.isnull(), ratio, None).cast(NUMBER),
        "PodCost": ibis.ifelse(pod, cost, None).cast(NUMBER),
    }


def parent(lines: ir.Table) -> ir.StringValue:
    """Returns the column of a pod's instance; null on all other rows."""
    named = fields.text(lines, HOST, *PARENTS)
    return cast(ir.StringValue, ibis.ifelse(is_pod(lines), named, None))


def _first(lines: ir.Table, *names: tuple[str, ...]) -> ir.Value:
    """Reads the first of several columns, each under one of its names, that is not blank."""
    present = [name for each in names for name in each if name in lines.columns]
    read = [fields.amount(lines, name, NUMBER) for name in present]
    return ibis.coalesce(*read) if read else ibis.null(NUMBER)
