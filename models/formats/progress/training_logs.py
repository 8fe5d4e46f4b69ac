"""Reads logs that a trainer wrote without times: one line per value of a training step.

Columns as of a run tracker (`run_trackers`), whose `timestamp` is null, and `step`, `part` and
`entry`: of a value that several files or entries of a run give for one step, that of the highest
part counts, then the latest entry. A run that was resumed logs steps again, and its files overlap.
A run that resumed no other began with step 0, at which its counters were 0 (METHOD §3.1). Times
come from when the run held machines (METHOD §3.3).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, cast

import ibis
import ibis.expr.types as ir

from models.config.tags import Tags
from models.contract.schema import NUMBER, PROGRESS
from models.formats import fields, line_faults
from models.formats.format import no_totals
from models.formats.json_fields import entry
from models.formats.line_faults import Fault
from models.formats.names import bad_names, bad_tags
from models.formats.progress.loss_values import loss_value
from models.formats.progress.run_trackers import LARGEST, mapped_values

VIEW: Literal["progress"] = "progress"
REQUIRED: tuple[str, ...] = (
    "timestamp", "metric", "value", "step", "run_name", "Tags", "source", "part", "entry",
)  # fmt: skip
RUN = ("workload", "run")
STARTED = ("epoch", "samples", "tokens")
COUNTERS = (*STARTED, "samples_per_epoch")
MEASURES = (*COUNTERS, "loss")
PARTS = 10**12
"""More than the entries of a part."""


def from_zero(values: ir.Table) -> ir.BooleanValue:
    """Whether the run of a value began with step 0: it resumed no other."""
    return cast(ir.BooleanValue, values.resumed_from.isnull())


def rows(
    lines: ir.Table,
    tags: Tags,
    source: str,
    as_done: Callable[[ir.Table], ir.Table] = lambda values: values,
    began: Callable[[ir.Table], ir.BooleanValue] = from_zero,
) -> ir.Table:
    """Converts a trainer's logged values to training progress, one row per run and step.

    `as_done` converts steps and epochs that the trainer counts in another way; `began` says which
    values are of runs that began with step 0.
    """
    values = mapped_values(lines, tags)
    values = values.mutate(resumed_from=entry(values, "Tags", "resumed_from"))
    samples = _samples(as_done(values.mutate(from_zero=began(values))))
    samples = samples.union(_starts(samples.filter(samples.from_zero)))
    counted = {name: samples[name].cast(NUMBER) for name in (*COUNTERS, "step")}
    samples = samples.mutate(**counted, loss=loss_value(samples.loss), source=ibis.literal(source))
    return samples.select(
        **{
            name: samples[name] if name in samples.columns else ibis.null(dtype)
            for name, dtype in PROGRESS.items()
        }
    )


def _samples(values: ir.Table) -> ir.Table:
    """Returns one row per run and step, with the last logged value of each measure.

    That is the one of the highest part, then of the latest entry.
    """
    place = values.part.cast("decimal(38, 0)") * PARTS + values.entry
    values = values.mutate(value=values.value.cast("float64"), place=place)
    return values.group_by(*RUN, "step").agg(
        resumed_from=values.resumed_from.max(),
        from_zero=values.from_zero.any(),
        **{
            name: values.value.argmax(values.place, where=values.meaning == name)
            for name in MEASURES
        },
    )


def _starts(samples: ir.Table) -> ir.Table:
    """Returns a row at step 0 for each run, with 0 in each counter that the run reports."""
    zero = ibis.literal(0.0)
    runs = samples.group_by(*RUN).agg(
        **{name: ibis.ifelse(samples[name].count() > 0, zero, None) for name in STARTED},
    )
    return runs.select(
        **{
            name: runs[name] if name in runs.columns else ibis.null(dtype)
            for name, dtype in samples.schema().items()
        }
        | {"step": ibis.literal(0, "int64"), "from_zero": ibis.literal(value=True)}
    )


def refusals(lines: ir.Table) -> ir.Table:
    """Returns problem, value and remedy of each logged value that has no step, or a bad name."""
    shown = fields.text(lines, "run_name", "metric")
    wrong_step = (lines.step.cast("float64") > LARGEST) | (lines.step < 0)
    return line_faults.faulty_lines(
        lines,
        [
            *(line_faults.missing(lines, name, shown) for name in ("metric", "value", "step")),
            Fault(wrong_step, "step is not a count", lines.step, "correct what writes it"),
            *bad_names(lines, "run_name"),
            *bad_tags(lines, "Tags"),
        ],
    )


totals = no_totals
