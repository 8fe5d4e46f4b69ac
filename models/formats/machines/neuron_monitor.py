"""What neuron-monitor reports of each NeuronCore in use.

One line a report, runtime and core: `utilization` is a percent of the time that the core executed.
`tag` is NEURON_PROCESS_TAG, which names the run where a job sets it; unset it is the process id. A
core of another runtime, or of none, has no line. A report does not say when it was made:
`timestamp` is what its writer added, else null.
"""

from __future__ import annotations

from typing import Literal

import ibis
import ibis.expr.types as ir

from models.config.settings import Tags
from models.contract.schema import UTILISATION
from models.formats import fields

NAME = "neuron_monitor"
VIEW: Literal["utilisation"] = "utilisation"
REQUIRED: tuple[str, ...] = ("core", "utilization")


def rows(lines: ir.Table, tags: Tags) -> ir.Table:
    """One row per line, in the schema of `utilisation`."""
    value = lines.utilization.cast("float64")
    tag = fields.text(lines, "tag")
    known: dict[str, ir.Value] = {
        "observed_at": fields.instant(lines, "timestamp", attempt=True),
        "account": ibis.null("string"),
        "region": fields.text(lines, "region"),
        "host": fields.text(lines, "instance_id"),
        "device": fields.text(lines, "core"),
        "instance_type": fields.text(lines, "instance_type"),
        "run": ibis.ifelse(tag == fields.text(lines, "pid"), ibis.null("string"), tag),
        "resource": ibis.literal("neuroncore"),
        "metric": ibis.literal("neuroncore_utilization"),
        "seconds": lines.period.cast("float64").round(),
        "value": value,
        "share": value / 100.0,
    }
    return lines.select(**{name: known[name].cast(kind) for name, kind in UTILISATION.items()})


def refusals(lines: ir.Table) -> ir.Table:
    """A percent that is none."""
    value = lines.utilization.cast("float64")
    wrong = (~value.between(0, 100)).fill_null(True)
    remedy = "deliver what neuron-monitor wrote"
    return fields.faults(
        lines, [fields.Fault(wrong, "neuroncore_utilization is no percent", value, remedy)]
    )


def totals(lines: ir.Table) -> ir.Table:
    """No money: nothing to add up."""
    return lines.select(account=ibis.literal("")).limit(0)
