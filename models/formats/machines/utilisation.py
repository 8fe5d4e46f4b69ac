"""Reads how busy machines were: hourly means of the utilisation metrics in CloudWatch.

Columns are those of the format `cloudwatch`. `share` is a fraction of what the machine has; null
where a metric does not say of how much: SageMaker adds up the percents of all accelerators of a
host (0 to 800 on eight GPUs). A GPU is busy while any kernel is resident, a NeuronCore while it
executes, so the two must never be compared.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import ibis
import ibis.expr.types as ir

from models.config.tags import Tags
from models.contract.schema import UTILISATION
from models.formats import fields, line_faults
from models.formats.format import no_totals
from models.formats.json_fields import entry
from models.formats.schema_rows import schema_rows

NAME = "utilisation"
VIEW: Literal["utilisation"] = "utilisation"
REQUIRED: tuple[str, ...] = ("timestamp", "namespace", "metric", "dimensions", "value", "period")


class Metric(NamedTuple):
    """A CloudWatch metric of utilisation, and its value when the machine is fully busy.

    `whole` is that value; None where it is unknown.
    """

    namespace: str
    metric: str
    resource: str
    whole: float | None = 100.0


METRICS = (
    Metric("CWAgent", "nvidia_smi_utilization_gpu", "gpu"),
    Metric("ContainerInsights", "node_gpu_utilization", "gpu"),
    Metric("ContainerInsights", "pod_gpu_utilization", "gpu"),
    Metric("ContainerInsights", "node_neuroncore_utilization", "neuroncore"),
    Metric("ContainerInsights", "pod_neuroncore_utilization", "neuroncore"),
    Metric("AWS/EC2", "GPUPowerUtilization", "gpu_power"),
    Metric("AWS/EC2", "CPUUtilization", "cpu"),
    Metric("/aws/sagemaker/TrainingJobs", "GPUUtilization", "gpu", None),
    Metric("/aws/sagemaker/TrainingJobs", "CPUUtilization", "cpu", None),
)
"""The metrics that AWS publishes; SageMaker publishes none of NeuronCores."""
HOSTS = ("InstanceId", "Host", "FullPodName", "PodName", "NodeName", "host", "ClusterName")
DEVICES = ("NeuronCore", "NeuronDevice", "GpuDevice", "index")
"""Dimensions that name a machine, or a part of it; the first that a line has is read."""


def rows(lines: ir.Table, tags: Tags) -> ir.Table:
    """Converts known CloudWatch utilisation metrics of named hosts to rows of `utilisation`.

    Metrics that are not in `METRICS`, and lines that name no host, are left out.
    """
    value = lines.value.cast("float64")
    cases = [(_is(lines, metric), metric) for metric in METRICS]
    whole = ibis.cases(*((found, ibis.literal(each.whole, "float64")) for found, each in cases))
    columns: dict[str, ir.Value] = {
        "observed_at": fields.timestamp(lines, "timestamp"),
        "account": fields.text(lines, "account"),
        "region": fields.text(lines, "region"),
        "host": _dimension(lines, HOSTS),
        "device": _dimension(lines, DEVICES),
        "instance_type": entry(lines, "dimensions", "InstanceType"),
        "run": ibis.null("string"),
        "resource": ibis.cases(*((found, ibis.literal(each.resource)) for found, each in cases)),
        "metric": lines.metric,
        "seconds": lines.period,
        "value": value,
        "share": value / whole,
    }
    rows = schema_rows(lines, columns, UTILISATION)
    return rows.filter(rows.resource.notnull() & rows.host.notnull())


def refusals(lines: ir.Table) -> ir.Table:
    """Returns problem, value and remedy of each utilisation line without time, metric or value."""
    shown = fields.text(lines, "dimensions", "metric")
    needed = ("timestamp", "metric", "value")
    return line_faults.faulty_lines(
        lines, [line_faults.missing(lines, name, shown) for name in needed]
    )


totals = no_totals


def _is(lines: ir.Table, metric: Metric) -> ir.BooleanValue:
    return (lines.namespace == metric.namespace) & (lines.metric == metric.metric)


def _dimension(lines: ir.Table, names: tuple[str, ...]) -> ir.Value:
    return ibis.coalesce(*(entry(lines, "dimensions", name) for name in names))
