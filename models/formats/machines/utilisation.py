"""How busy machines were, as CloudWatch has it: hourly means of the metrics that AWS publishes.

Columns as of `cloudwatch`. `share` is a fraction of what there is, null where a metric does not say
of how much: SageMaker sums its percents over the accelerators of a host (0 to 800 on eight GPUs).
A GPU is busy while any kernel is resident, a NeuronCore while it executes: never compare the two.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import ibis
import ibis.expr.types as ir

from models.config.settings import Tags
from models.contract.schema import UTILISATION
from models.formats import fields

NAME = "utilisation"
VIEW: Literal["utilisation"] = "utilisation"
REQUIRED: tuple[str, ...] = ("timestamp", "namespace", "metric", "dimensions", "value", "period")


class Known(NamedTuple):
    """A metric; `whole`: the value that means all of it, None where it does not say."""

    namespace: str
    metric: str
    resource: str
    whole: float | None = 100.0


METRICS = (
    Known("CWAgent", "nvidia_smi_utilization_gpu", "gpu"),
    Known("ContainerInsights", "node_gpu_utilization", "gpu"),
    Known("ContainerInsights", "pod_gpu_utilization", "gpu"),
    Known("ContainerInsights", "node_neuroncore_utilization", "neuroncore"),
    Known("ContainerInsights", "pod_neuroncore_utilization", "neuroncore"),
    Known("AWS/EC2", "GPUPowerUtilization", "gpu_power"),
    Known("AWS/EC2", "CPUUtilization", "cpu"),
    Known("/aws/sagemaker/TrainingJobs", "GPUUtilization", "gpu", None),
    Known("/aws/sagemaker/TrainingJobs", "CPUUtilization", "cpu", None),
)
"""AWS.md §3.3. NeuronCores of SageMaker jobs are not published."""
HOSTS = ("InstanceId", "Host", "FullPodName", "PodName", "NodeName", "host", "ClusterName")
DEVICES = ("NeuronCore", "NeuronDevice", "GpuDevice", "index")
"""Dimensions that name a machine, or a part of it; the first that is there counts."""


def rows(lines: ir.Table, tags: Tags) -> ir.Table:
    """One row per line of a known metric of a machine, in the schema of `utilisation`."""
    value = lines.value.cast("float64")
    of = [(_is(lines, one), one) for one in METRICS]
    whole = ibis.cases(*((is_it, ibis.literal(one.whole, "float64")) for is_it, one in of))
    known: dict[str, ir.Value] = {
        "observed_at": fields.instant(lines, "timestamp"),
        "account": fields.text(lines, "account"),
        "region": fields.text(lines, "region"),
        "host": _dimension(lines, HOSTS),
        "device": _dimension(lines, DEVICES),
        "instance_type": fields.entry(lines, "dimensions", "InstanceType"),
        "run": ibis.null("string"),
        "resource": ibis.cases(*((is_it, ibis.literal(one.resource)) for is_it, one in of)),
        "metric": lines.metric,
        "seconds": lines.period,
        "value": value,
        "share": value / whole,
    }
    found = lines.select(**{name: known[name].cast(kind) for name, kind in UTILISATION.items()})
    return found.filter(found.resource.notnull() & found.host.notnull())


def refusals(lines: ir.Table) -> ir.Table:
    """Lines without a time, a metric or a value."""
    beside = fields.text(lines, "dimensions", "metric")
    needed = ("timestamp", "metric", "value")
    return fields.faults(lines, [fields.missing(lines, name, beside) for name in needed])


def totals(lines: ir.Table) -> ir.Table:
    """No money: nothing to add up."""
    return lines.select(account=ibis.literal("")).limit(0)


def _is(lines: ir.Table, one: Known) -> ir.BooleanValue:
    return (lines.namespace == one.namespace) & (lines.metric == one.metric)


def _dimension(lines: ir.Table, names: tuple[str, ...]) -> ir.Value:
    return ibis.coalesce(*(fields.entry(lines, "dimensions", name) for name in names))
