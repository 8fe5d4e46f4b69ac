"""Computes machine, cluster and pod's share of bill lines that jobs may share (METHOD §2.10).

Only where allocations exist, or pods: a bill has more machines than any other column needs.
"""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.config.tags import Labels, Tags
from models.contract.rules.usage_type_patterns import (
    ACCELERATOR_HOURS,
    BESIDE_MACHINES,
    FEES_BY_INSTANCE,
    MANAGED_CLUSTER,
)
from models.contract.schema import NUMBER
from models.formats import fields
from models.formats.bill.focus import split_cost_rows
from models.formats.tag_keys import tag

MACHINE, CLUSTER = "of machine", "of cluster"
"""Columns of pre-aggregated lines that hold their `MachineId` and their `ClusterName`."""
SIZES = ("large", "metal")
"""Words that every instance type with accelerators has: `p4d.24xlarge`, `g4dn.metal`."""
UNNAMED = ""
"""The machine of instance-hours whose resource the bill does not name."""
INSTANCE_ARN = r"^arn:[^:]*:ec2:.*/([^/]+)$"
POD_ARN = r":(pod|task)/([^/]+)/"
PODS = "(pods)"
"""The cluster of pods whose rows name none."""
JOB = ":training-job/"
CLUSTER_ARN = r"^arn:[^:]*:sagemaker:.*:cluster/([^/]+)$"


def machine(lines: ir.Table, run: ir.Value, meter: ir.StringValue, tags: Tags) -> ir.StringValue:
    """Returns the column of machines on bill lines that jobs may share; null on all other lines.

    Such lines are used accelerator hours without a run tag, and rows of pods. It is the instance
    id, or the ARN of a SageMaker job; empty where the bill names none. A HyperPod's line names the
    cluster, and so no machine. Volumes and traffic have a machine, too, where their parent, or
    their resource, is an instance, and so has whatever else names a SageMaker job: where
    that has no accelerators, the line is summed by day all the same.
    """
    if MACHINE in lines.columns:
        return cast(ir.StringValue, lines[MACHINE])
    if not (isinstance(tags, Labels) and tags.shared_machines):
        return cast(ir.StringValue, ibis.null("string"))
    category = fields.text(lines, "ChargeCategory")
    unused = ibis.or_(
        *(
            fields.text(lines, f"{kind}Status").fill_null("") == "Unused"
            for kind in ("CommitmentDiscount", "CapacityReservation")
        )
    )
    held = category.isin(("Usage", "Adjustment")) & ~unused
    named = ibis.ifelse(meter.re_search(MANAGED_CLUSTER), UNNAMED, resource(lines))
    # one condition inside the other: most lines bear a run, few of the others are accelerators',
    # and only those read the rest
    own = ibis.ifelse(held, named.fill_null(UNNAMED), None)
    untagged = ibis.ifelse(accelerated(lines, meter), own, _parent(lines, meter, held))
    instance = ibis.ifelse(run.isnull(), untagged, None)
    if not split_cost_rows.names_hosts(lines):
        return cast(ir.StringValue, instance)
    return cast(ir.StringValue, ibis.coalesce(split_cost_rows.parent(lines), instance))


def _parent(lines: ir.Table, meter: ir.StringValue, held: ir.BooleanValue) -> ir.StringValue:
    """Returns the instance or job that a volume, traffic or fee belongs to; null on other lines.

    Whatever names a SageMaker job is that job's. Whether something is an instance is asked first,
    because that is cheapest.
    """
    names = [name for name in (*split_cost_rows.PARENTS, "ResourceId") if name in lines.columns]
    texts = [cast(ir.StringValue, lines[name]) for name in names if lines[name].type().is_string()]
    parent: ir.StringValue = ibis.coalesce(
        ibis.null("string"),
        *(ibis.ifelse(text.startswith("i-") | _is_job(text), text, None) for text in texts),
    )
    of_machine = _is_job(parent) | meter.re_search(BESIDE_MACHINES).fill_null(False)
    of_machine |= _is_fee(lines)
    own = ibis.ifelse(of_machine, ibis.ifelse(held, parent, None), None)
    return cast(ir.StringValue, ibis.ifelse(parent.notnull(), own, None))


def _is_job(resource: ir.StringValue) -> ir.BooleanValue:
    return cast(
        ir.BooleanValue, ibis.ifelse(resource.startswith("arn:"), resource.contains(JOB), False)
    )


def cluster(
    lines: ir.Table, owned: ir.BooleanValue, meter: ir.StringValue, tags: Tags
) -> ir.StringValue:
    """Returns the column of clusters, by tag or ARN; null on most lines with a run tag (`owned`).

    A pod's line names its cluster in any case. So do hours of an accelerator that bear a run tag
    and a cluster's tag: a run holds its cluster's machines, whoever tells of it.
    """
    if CLUSTER in lines.columns:
        return cast(ir.StringValue, lines[CLUSTER])
    if not (isinstance(tags, Labels) and tags.shared_machines):
        return cast(ir.StringValue, ibis.null("string"))
    resource_id = fields.text(lines, "ResourceId")
    managed = ibis.ifelse(
        resource_id.contains(":cluster/"), resource_id.re_extract(CLUSTER_ARN, 1).nullif(""), None
    )
    named = named_cluster(lines, tags)
    of_run = ibis.ifelse(accelerated(lines, meter), named, None)
    instance = ibis.ifelse(owned, of_run, ibis.coalesce(named, managed))
    if not split_cost_rows.names_hosts(lines):
        return cast(ir.StringValue, instance)
    of_pod = fields.text(lines, "ResourceId").re_extract(POD_ARN, 2).nullif("")
    pod = ibis.ifelse(split_cost_rows.is_pod(lines), of_pod.fill_null(PODS), None)
    return cast(ir.StringValue, ibis.coalesce(pod, instance))


def named_cluster(lines: ir.Table, tags: Labels) -> ir.StringValue:
    """Returns the column of the cluster that a line's tags name; null where none does."""
    return cast(ir.StringValue, ibis.coalesce(*(tag(lines, key) for key in tags.clusters)))


def accelerated(lines: ir.Table, meter: ir.StringValue) -> ir.BooleanValue:
    """Returns the condition that a line is hours of a machine with accelerators, and not a fee.

    A size is looked for first, because a pattern takes ten times as long.
    """
    sized = ibis.or_(*(meter.contains(word) for word in SIZES)).fill_null(False)
    hours = meter.re_search(ACCELERATOR_HOURS).fill_null(False)
    own = ibis.ifelse(hours, ~_is_fee(lines), False)
    return cast(ir.BooleanValue, ibis.ifelse(sized, own, False))


def _is_fee(lines: ir.Table) -> ir.BooleanValue:
    service = fields.text(lines, "ServiceName")
    return cast(ir.BooleanValue, service.re_search(FEES_BY_INSTANCE).fill_null(False))


def held_by_pod(lines: ir.Table, tags: Tags) -> dict[str, ir.Value]:
    """Returns columns of pods' accelerator-hours, part and cost; null if no machines are shared."""
    shared = isinstance(tags, Labels) and tags.shared_machines
    if shared and split_cost_rows.names_pods(lines):
        return split_cost_rows.held_by_pod(lines)
    return dict.fromkeys(split_cost_rows.PODS, ibis.null(NUMBER))


def resource(lines: ir.Table) -> ir.StringValue:
    """Returns the column of resources: the id in an EC2 instance's ARN, else as delivered."""
    given = fields.text(lines, "ResourceId", "resource")
    return cast(ir.StringValue, ibis.coalesce(given.re_extract(INSTANCE_ARN, 1).nullif(""), given))
