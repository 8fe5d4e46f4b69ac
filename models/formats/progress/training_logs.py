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
COUNTERS = ("epoch", "samples", "tokens", "samples_per_epoch")


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
    values = _newest(values.mutate(resumed_from=entry(values, "Tags", "resumed_from")))
    counted = as_done(values.mutate(from_zero=began(values)))
    starts = _starts(counted.filter(counted.from_zero))
    values = counted.select(starts.columns).union(starts)
    value = values.value.cast("float64")
    counters = {name: value.max(where=values.meaning == name).cast(NUMBER) for name in COUNTERS}
    loss = loss_value(value).max(where=values.meaning == "loss")
    samples = values.group_by(*RUN, done=values.step).agg(
        loss=loss, resumed_from=values.resumed_from.max(), **counters
    )
    samples = samples.mutate(step=samples.done.cast(NUMBER), source=ibis.literal(source))
    return samples.select(
        **{
            name: samples[name] if name in samples.columns else ibis.null(dtype)
            for name, dtype in PROGRESS.items()
        }
    )


def _starts(values: ir.Table) -> ir.Table:
    """Returns a 0 at step 0 for each counter of runs; of one that counts steps alone the step."""
    counted = values.meaning.isin(["epoch", "samples", "tokens"])
    return values.select(
        *RUN,
        "resumed_from",
        step=ibis.literal(0, "int64"),
        meaning=ibis.ifelse(counted, values.meaning, "step"),
        value=ibis.literal(0.0),
    ).distinct()


def _newest(values: ir.Table) -> ir.Table:
    """Keeps one value per run, step and meaning: of the highest part, then the latest entry."""
    latest = ibis.window(
        group_by=[*RUN, "step", "meaning"], order_by=[ibis.desc("part"), ibis.desc("entry")]
    )
    return values.mutate(place=ibis.row_number().over(latest)).filter(ibis._.place == 0)


def refusals(lines: ir.Table) -> ir.Table:
    """Returns problem, value and remedy of each logged value that has no step, or a bad name."""
    shown = fields.text(lines, "run_name", "metric")
    wrong_step = (lines.step.cast("float64") > LARGEST) | (lines.step < 0)
    return line_faults.faulty_lines(
        lines,
        [
            *(line_faults.missing(lines, name, shown) for name in ("metric", "value", "step")),
            Fault(wrong_step, "step is no count", lines.step, "correct what writes it"),
            *bad_names(lines, "run_name"),
            *bad_tags(lines, "Tags"),
        ],
    )


totals = no_totals
