"""A progress file: one line a sample, cumulative counters, times in UTC.

Columns: observed_at, workload, run, epoch and optionally loss, samples, tokens,
samples_per_epoch, recipe, purpose, resumed_from, start_epoch (ARCHITECTURE §4). A line that counts
samples may leave its epoch empty.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Literal, cast

import ibis
import ibis.expr.types as ir

from models.config.settings import PURPOSES, Tags
from models.contract.schema import NUMBER, PROGRESS
from models.formats import fields

NAME = "progress"
VIEW: Literal["progress"] = "progress"
REQUIRED = ("observed_at", "workload", "run", "epoch")
AMOUNTS = ("epoch", "samples", "tokens", "samples_per_epoch", "start_epoch")
LARGEST = {"epoch": 10**9, "start_epoch": 10**9}
MOST = 10**18
"""Beyond these a counter is a mistake, and the dollars of its run no longer fit the schema."""
EARLIEST = ibis.timestamp(2010, 1, 1, 0, 0, 0)
"""Before this a clock was not set."""
COUNTS = "write how far the run is: `epoch`, or `samples` beside `samples_per_epoch`"
SKEW = timedelta(hours=2)
"""How far a clock may run ahead; CloudWatch takes samples as far ahead, and no further."""


def rows(lines: ir.Table, tags: Tags) -> ir.Table:
    """One row per sample, in the schema of `progress`."""
    columns: dict[str, ir.Value] = {
        name: fields.text(lines, name) for name in ("workload", "run", "recipe", "resumed_from")
    }
    columns["purpose"] = _purpose(lines)
    columns |= {name: _number(lines, name).cast(PROGRESS[name]) for name in AMOUNTS}
    columns["observed_at"] = fields.instant(lines, "observed_at")
    columns["excludes_repeats"] = ibis.null("boolean")
    columns["loss"] = fields.loss(_number(lines, "loss", "float64"))
    return lines.select(**{name: columns[name] for name in PROGRESS})


def refusals(lines: ir.Table) -> ir.Table:
    """Unreadable times and numbers, samples that name nothing, negative counters."""
    number = "write a plain decimal number"
    beside = fields.text(lines, "run", "workload", "observed_at")
    return fields.faults(
        lines,
        [
            *(fields.missing(lines, name, beside) for name in REQUIRED if name != "epoch"),
            fields.owned_by_all(lines, "workload"),
            _uncounted(lines, beside),
            fields.unreadable(
                lines, "observed_at", "timestamp('UTC')", "write it as 2026-09-01T12:00:00Z"
            ),
            *(fields.unreadable(lines, name, NUMBER, number) for name in AMOUNTS),
            fields.unreadable(lines, "loss", "float64", number),
            *(_negative(lines, name) for name in AMOUNTS if name in lines.columns),
            *(_absurd(lines, name) for name in AMOUNTS if name in lines.columns),
            _unset(lines),
            _ahead(lines),
            _purposeless(lines),
        ],
    )


def totals(lines: ir.Table) -> ir.Table:
    """No money: nothing to add up."""
    return lines.select(account=ibis.literal("")).limit(0)


def _number(lines: ir.Table, name: str, dtype: str = NUMBER) -> ir.Value:
    if name not in lines.columns:
        return ibis.null(dtype)
    column = lines[name]
    given = fields.text(lines, name) if column.type().is_string() else column
    return given.try_cast(dtype) if column.type().is_string() else given.cast(dtype)


def _negative(lines: ir.Table, name: str) -> fields.Fault:
    given = _number(lines, name)
    wrong = (given < 0).fill_null(False)
    said = fields.text(lines, name)
    return fields.Fault(wrong, f"{name} is negative", said, "counters start at 0")


def _absurd(lines: ir.Table, name: str) -> fields.Fault:
    given = _number(lines, name)
    wrong = (given > LARGEST.get(name, MOST)).fill_null(False)
    said = fields.text(lines, name)
    return fields.Fault(wrong, f"{name} is too large", said, "correct what writes it")


def _uncounted(lines: ir.Table, beside: ir.Value) -> fields.Fault:
    """A sample says how far a run has got, by epochs or by samples; tokens alone do not."""
    missing = fields.missing(lines, "epoch", beside)
    wrong = missing.wrong & fields.text(lines, "samples").isnull()
    return fields.Fault(wrong, missing.problem, missing.value, COUNTS)


def _unset(lines: ir.Table) -> fields.Fault:
    given = fields.instant(lines, "observed_at", attempt=True)
    wrong = (given < EARLIEST).fill_null(False)
    return fields.Fault(wrong, "observed_at is before 2010", given, "set the clock that wrote it")


def _ahead(lines: ir.Table) -> fields.Fault:
    """Local time written as UTC, too: its progress would be spread over days before it was made."""
    given = fields.instant(lines, "observed_at", attempt=True)
    latest = ibis.now().cast("timestamp") + ibis.interval(hours=SKEW // timedelta(hours=1))
    wrong = (given > latest).fill_null(False)
    remedy = "set the clock that wrote it, and write UTC"
    return fields.Fault(wrong, "observed_at is in the future", given, remedy)


def _purpose(lines: ir.Table) -> ir.StringValue:
    return cast(ir.StringValue, fields.text(lines, "purpose").strip().lower().nullif(""))


def _purposeless(lines: ir.Table) -> fields.Fault:
    """A purpose that means nothing would count as production, and claim a saving."""
    wrong = (~_purpose(lines).isin(PURPOSES)).fill_null(False)
    given = fields.text(lines, "purpose")
    return fields.Fault(wrong, "purpose is none", given, f"one of {', '.join(PURPOSES)}")
