"""Reads neuron-monitor's reports of each NeuronCore in use.

A line is one report of one runtime and core; `utilization` is the percent of the time in which the
core executed. `tag` is NEURON_PROCESS_TAG, which names the run where a job sets it; unset, it is
the process id. A core of another runtime, or of none, has no line. A report does not contain its
time: `timestamp` is what its writer added, else null.
"""

from __future__ import annotations

from typing import Literal

import ibis
import ibis.expr.types as ir

from models.config.tags import Tags
from models.contract.schema import UTILISATION
from models.formats import fields, line_faults
from models.formats.format import no_totals
from models.formats.line_faults import Fault
from models.formats.schema_rows import schema_rows

NAME = "neuron_monitor"
VIEW: Literal["utilisation"] = "utilisation"
REQUIRED: tuple[str, ...] = ("core", "utilization")


def rows(lines: ir.Table, tags: Tags) -> ir.Table:
    """Converts neuron-monitor's reports of NeuronCore utilisation to rows of `utilisation`."""
    value = lines.utilization.cast("float64")
    tag = fields.text(lines, "tag")
    columns: dict[str, ir.Value] = {
        "observed_at": fields.timestamp(lines, "timestamp", attempt=True),
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
    return schema_rows(lines, columns, UTILISATION)


def refusals(lines: ir.Table) -> ir.Table:
    """Returns problem, value and remedy of each neuron-monitor report not between 0 and 100 %."""
    value = lines.utilization.cast("float64")
    wrong = (~value.between(0, 100)).fill_null(True)
    remedy = "deliver what neuron-monitor wrote"
    return line_faults.faulty_lines(
        lines, [Fault(wrong, "neuroncore_utilization is not a percentage", value, remedy)]
    )


totals = no_totals
