"""Reads progress files: one line per sample, with cumulative counters and UTC times.

Columns: observed_at, workload, run, at least one of epoch, samples and tokens, and optionally loss,
samples_per_epoch, recipe, purpose, resumed_from, start_epoch (METHOD §3.1). An empty observed_at is
told by the time that the run held machines (METHOD §3.3). A line that has `step`
with `tokens_per_step` or `samples_per_step` needs no other counter. Example: step 2,000 of
4,194,304 tokens each is 8,388,608,000 tokens. Where only `step` is given, the config says how much
a step of the workload is.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Literal, cast

import ibis
import ibis.expr.types as ir

from models.config.section import PURPOSES
from models.config.tags import Tags
from models.contract.money import product
from models.contract.rules.clock_skew import CLOCK_SKEW
from models.contract.schema import NUMBER, PROGRESS
from models.formats import fields, line_faults, names
from models.formats.format import no_totals
from models.formats.line_faults import Fault
from models.formats.progress.loss_values import loss_value

NAME = "progress"
VIEW: Literal["progress"] = "progress"
REQUIRED = ("observed_at", "workload", "run")
NAMES = ("workload", "run", "recipe", "resumed_from")
COUNTERS = ("epoch", "samples", "tokens", "step")
AMOUNTS = ("epoch", "samples", "tokens", "step", "samples_per_epoch", "start_epoch")
PER_STEP = {"samples": "samples_per_step", "tokens": "tokens_per_step"}
"""The column that says how much of a counter a training step is."""
NUMBERS = (*AMOUNTS, *PER_STEP.values())
COLUMNS = (*REQUIRED, *NUMBERS, "loss", "recipe", "purpose", "resumed_from")
UNLIKE_OTHERS = ("epoch", "start_epoch", "loss", "recipe", "purpose", "resumed_from")
"""Those that a name of nearly their letters means; `tokens_s` is another measure than `tokens`."""
LARGEST = {"epoch": 10**9, "start_epoch": 10**9}
LARGEST_COUNT = 10**18
"""A counter beyond these is a mistake: the dollars of its run would not fit the schema."""
EARLIEST = ibis.timestamp(2010, 1, 1, 0, 0, 0)
"""A sample from before this comes from a clock that was never set."""
WRITE_COUNTS = "write how far the run is: `epoch`, `samples`, `tokens` or `step`"


def rows(lines: ir.Table, tags: Tags) -> ir.Table:
    """Converts each sample of a progress file to a row of training progress."""
    lines = fields.trimmed(lines, *NAMES)
    columns: dict[str, ir.Value] = {name: fields.text(lines, name) for name in NAMES}
    columns["purpose"] = _purpose(lines)
    columns |= {name: _number(lines, name).cast(PROGRESS[name]) for name in AMOUNTS}
    columns |= {
        name: columns[name].coalesce(product(*_steps(lines, name)).cast(PROGRESS[name]))
        for name in PER_STEP
        if "step" in lines.columns and PER_STEP[name] in lines.columns
    }
    columns["observed_at"] = fields.timestamp(lines, "observed_at")
    columns["excludes_repeats"] = ibis.null("boolean")
    columns["source"] = ibis.literal("file")
    columns["loss"] = loss_value(_number(lines, "loss", "float64"))
    return lines.select(**{name: columns[name] for name in PROGRESS})


def refusals(lines: ir.Table) -> ir.Table:
    """Returns problem, value and remedy of each progress line with missing or impossible values."""
    lines = fields.trimmed(lines, *NAMES)
    number = "write a plain decimal number"
    shown = fields.text(lines, "run", "workload", "observed_at")
    return line_faults.faulty_lines(
        lines,
        [
            *(line_faults.missing(lines, name, shown) for name in ("workload", "run")),
            line_faults.portfolio_name(lines, "workload"),
            *names.bad_names(lines, *NAMES),
            _uncounted(lines, shown),
            line_faults.unreadable(
                lines, "observed_at", "timestamp('UTC')", "write it as 2026-09-01T12:00:00Z"
            ),
            *(line_faults.not_of_type(lines, name, NUMBER, number) for name in NUMBERS),
            line_faults.not_of_type(lines, "loss", "float64", number),
            *(_negative(lines, name) for name in NUMBERS if name in lines.columns),
            *(_too_large(lines, name) for name in NUMBERS if name in lines.columns),
            *(_empty_step(lines, name) for name in PER_STEP.values() if name in lines.columns),
            *(_too_many_steps(lines, name) for name in PER_STEP if PER_STEP[name] in lines.columns),
            _clock_not_set(lines),
            _in_the_future(lines),
            _unknown_purpose(lines),
        ],
    )


totals = no_totals


def _number(lines: ir.Table, name: str, dtype: str = NUMBER) -> ir.Value:
    if name not in lines.columns:
        return ibis.null(dtype)
    column = lines[name]
    given = fields.text(lines, name) if column.type().is_string() else column
    return given.try_cast(dtype) if column.type().is_string() else given.cast(dtype)


def _steps(lines: ir.Table, counter: str) -> tuple[ir.Value, ir.Value]:
    """Returns a run's number of steps, and how many tokens or samples a step is."""
    return _number(lines, "step"), _number(lines, PER_STEP[counter])


def _empty_step(lines: ir.Table, name: str) -> Fault:
    """Builds the check that refuses steps of 0 tokens or samples."""
    wrong = (_number(lines, name) == 0).fill_null(False)
    return Fault(wrong, f"{name} is 0", fields.text(lines, name), "write how many a step is")


def _too_many_steps(lines: ir.Table, counter: str) -> Fault:
    done, each = (part.cast("float64") for part in _steps(lines, counter))
    wrong = (done * each > LARGEST_COUNT).fill_null(False)
    words = f"step × {PER_STEP[counter]} is too large"
    return Fault(wrong, words, fields.text(lines, "step"), "correct what writes it")


def _negative(lines: ir.Table, name: str) -> Fault:
    given = _number(lines, name)
    wrong = (given < 0).fill_null(False)
    text = fields.text(lines, name)
    return Fault(wrong, f"{name} is negative", text, "counters start at 0")


def _too_large(lines: ir.Table, name: str) -> Fault:
    given = _number(lines, name)
    wrong = (given > LARGEST.get(name, LARGEST_COUNT)).fill_null(False)
    text = fields.text(lines, name)
    return Fault(wrong, f"{name} is too large", text, "correct what writes it")


def _uncounted(lines: ir.Table, shown: ir.Value) -> Fault:
    """Builds the check that refuses a progress line with no epoch, samples, tokens or step."""
    wrong = ibis.and_(*(fields.text(lines, name).isnull() for name in COUNTERS))
    problem = f"epoch, samples, tokens and step are missing {line_faults.SOMEWHERE}"
    return Fault(wrong, problem, shown, WRITE_COUNTS)


def _clock_not_set(lines: ir.Table) -> Fault:
    given = fields.timestamp(lines, "observed_at", attempt=True)
    wrong = (given < EARLIEST).fill_null(False)
    return Fault(wrong, "observed_at is before 2010", given, "set the clock that wrote it")


def _in_the_future(lines: ir.Table) -> Fault:
    """Builds the check that refuses a progress line dated over two hours in the future.

    It also catches the local time of a zone ahead of UTC that is written as if it were UTC.
    """
    given = fields.timestamp(lines, "observed_at", attempt=True)
    latest = ibis.now().cast("timestamp") + ibis.interval(hours=CLOCK_SKEW // timedelta(hours=1))
    wrong = (given > latest).fill_null(False)
    remedy = "set the clock that wrote it, and write UTC"
    return Fault(wrong, "observed_at is in the future", given, remedy)


def _purpose(lines: ir.Table) -> ir.StringValue:
    return cast(ir.StringValue, fields.text(lines, "purpose").strip().lower().nullif(""))


def _unknown_purpose(lines: ir.Table) -> Fault:
    """Builds the check that refuses a progress line whose purpose is not a known one.

    Otherwise the run would count as production and claim a saving.
    """
    wrong = (~_purpose(lines).isin(PURPOSES)).fill_null(False)
    given = fields.text(lines, "purpose")
    return Fault(wrong, "purpose is not a known word", given, f"one of {', '.join(PURPOSES)}")
