"""Reads the log of Lightning's CSVLogger, whose steps and epochs are numbers counted from 0.

`step` is the number of the training step that was under way, so one more are done. `epoch` is the
number of the epoch under way. How many steps an epoch has shows in what was logged: of 300 steps
with the numbers 0, 1 and 2 of epochs, the last at the end of epoch 2, it is 100, and after step 149
1.5 epochs are done. A run that is in its first epoch has not shown it yet: its epochs are unknown
(METHOD §3.1). Where steps and epochs contradict each other, only whole epochs before count.
Numbers with a fraction are epochs done, logged by the user's own code, and stay.
"""

from __future__ import annotations

from functools import partial
from typing import cast

import ibis
import ibis.expr.types as ir

from models.contract.joins import left_join
from models.formats.progress import training_logs
from models.formats.progress.training_logs import RUN

NAME = "lightning"
VIEW = training_logs.VIEW
REQUIRED = training_logs.REQUIRED
OWN = "epoch"
"""The column that Lightning adds; a counter of another name is the user's own."""


def as_done(values: ir.Table) -> ir.Table:
    """Converts Lightning's step and epoch numbers, counted from 0, to how many are done.

    Unknown epochs are null: their steps count. What a test after training logged is left out.
    """
    values = values.mutate(step=values.step + 1)
    steps = values.group_by(*RUN, "step").agg(
        number=values.value.max(where=_is_own(values)),
        losses=(values.meaning == "loss").cast("int64").sum(),
    )
    tests = _tests(steps)
    lengths = _lengths(steps.anti_join(tests, [*RUN, "step"]))
    given = left_join(values.anti_join(tests, [*RUN, "step"]), lengths, RUN)
    by_steps = given.step.cast("float64") / given.length
    done = ibis.ifelse(given.length <= given.longest, by_steps, given.value)
    done = ibis.ifelse(given["last"] > 0, done, None)
    counted = given.mutate(value=ibis.ifelse(_is_own(given) & given.whole, done, given.value))
    return counted.select(values.columns)


def lightnings_as_done(values: ir.Table) -> ir.Table:
    """Converts step and epoch numbers that Lightning logged to a tracker to how many are done.

    Those values have true in the column `lightning`; the others stay.
    """
    converted = as_done(values.filter(values.lightning))
    return values.filter(~values.lightning).union(converted.select(values.columns))


def _lengths(steps: ir.Table) -> ir.Table:
    """Returns a row per run: most and fewest steps of an epoch, last epoch, if all are whole.

    Also the last number of an epoch, and whether all are whole: others are the user's own.
    """
    numbered = steps.filter(steps.number.notnull())
    number, done = numbered.number.cast("float64"), numbered.step.cast("float64")
    return numbered.group_by(*RUN).agg(
        whole=(number == number.floor()).all(),
        last=number.max(),
        length=(done / (number + 1)).max().ceil().cast("float64"),
        longest=((done - 1) / number.nullif(0)).min(),
    )


def _tests(steps: ir.Table) -> ir.Table:
    """Returns a row per run that logged a test at its end: one step of a new epoch, without loss.

    Lightning gives it the numbers of the step and of the epoch that would have come next.
    """
    ends = steps.group_by(*RUN).agg(last=steps.number.max(), losses_of_run=steps.losses.sum())
    joined = steps.join(ends, RUN)
    at_last = joined.filter(joined.number == joined["last"], joined["last"] > 0)
    tests = at_last.group_by(*RUN).agg(
        step=at_last.step.max(),
        alone=at_last.count() == 1,
        losses=at_last.losses.sum(),
        losses_of_run=at_last.losses_of_run.max(),
    )
    return tests.filter(tests.alone, tests.losses == 0, tests.losses_of_run > 0)


def _is_own(values: ir.Table) -> ir.BooleanValue:
    """Whether a value is one of the numbers of epochs that Lightning adds to each row."""
    return cast(ir.BooleanValue, (values.meaning == "epoch") & (values.metric == OWN))


def _began(values: ir.Table) -> ir.BooleanValue:
    """Whether a value's run logged epoch 0; one that did not continues an earlier run."""
    of_run = ibis.window(group_by=list(RUN))
    return cast(ir.BooleanValue, values.value.min(where=_is_own(values)).over(of_run) == 0)


rows = partial(training_logs.rows, source=NAME, as_done=as_done, began=_began)
refusals = training_logs.refusals
totals = training_logs.totals
