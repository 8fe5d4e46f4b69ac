"""CloudWatch samples as progress: one line a datapoint of one metric of one run.

Columns: timestamp (UTC), workload, run, metric, value and where it came from. Metrics of the
emitter's contract (ARCHITECTURE §6) become columns; any other metric is not progress. Counters
are cumulative: the largest value of a period is the newest.
"""

from __future__ import annotations

from typing import Literal

import ibis
import ibis.expr.types as ir

from models.formats import fields
from models.schema import NUMBER, PROGRESS
from models.settings import Tags

NAME = "cloudwatch"
VIEW: Literal["charges", "progress", "prices"] = "progress"
REQUIRED: tuple[str, ...] = ("timestamp", "workload", "run", "metric", "value")
COUNTERS = {
    "epoch": "Epoch",
    "samples": "Samples",
    "tokens": "Tokens",
    "samples_per_epoch": "SamplesPerEpoch",
}
LARGEST = 1e18
"""Beyond this a value counts nothing, and its products do not fit the schema."""


def rows(lines: ir.Table, tags: Tags) -> ir.Table:
    """One row per run and timestamp, in the schema of `progress`."""
    value = lines.value.cast("float64")
    known = {
        name: value.max(where=lines.metric == metric).cast(NUMBER)
        for name, metric in COUNTERS.items()
    }
    loss = value.mean(where=lines.metric == "Loss")
    samples = lines.group_by(
        observed_at=fields.instant(lines, "timestamp"),
        workload=fields.text(lines, "workload"),
        run=fields.text(lines, "run"),
    ).agg(loss=loss, **known)
    return samples.select(
        **{
            name: samples[name] if name in samples.columns else ibis.null(dtype)
            for name, dtype in PROGRESS.items()
        }
    )


def refusals(lines: ir.Table) -> ir.Table:
    """Samples that name nothing, negative or absurd counters."""
    beside = fields.text(lines, "run", "workload", "metric")
    value = lines.value.cast("float64")
    counter = lines.metric.isin(tuple(COUNTERS.values()))
    return fields.faults(
        lines,
        [
            *(fields.missing(lines, name, beside) for name in REQUIRED),
            fields.owned_by_all(lines, "workload"),
            fields.Fault(
                counter & (value < 0),
                "a counter is negative",
                value,
                "counters start at 0: correct what emits them",
            ),
            fields.Fault(
                counter & ~(value < LARGEST),
                "a counter is not a number",
                value,
                "correct what emits it",
            ),
        ],
    )


def totals(lines: ir.Table) -> ir.Table:
    """No money: nothing to add up."""
    return lines.select(account=ibis.literal("")).limit(0)
