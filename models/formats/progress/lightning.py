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

from models.formats.progress import training_logs
from models.formats.progress.training_logs import RUN

NAME = "lightning"
VIEW = training_logs.VIEW
REQUIRED = training_logs.REQUIRED
OWN = "epoch"
"""The column that Lightning adds; a counter of another name is the user's own."""


def as_done(values: ir.Table) -> ir.Table:
    """Converts numbers of steps and epochs under way to how many are done."""
    values = _without_tests(values.mutate(step=values.step + 1))
    own = values.filter(_is_own(values))
    number, steps = own.value.cast("float64"), own.step.cast("float64")
    runs = own.group_by(*RUN).agg(
        numbered=(number == number.floor()).all(),
        last=number.max(),
        length=(steps / (number + 1)).max().ceil().cast("float64"),
        longest=((steps - 1) / number.nullif(0)).min(),
    )
    given = own.join(runs, RUN)
    by_steps = given.step.cast("float64") / given.length
    done = ibis.ifelse(given.length <= given.longest, by_steps, given.value)
    given = given.mutate(value=ibis.ifelse(given.numbered, done, given.value))
    known = given.filter(~given.numbered | (given["last"] > 0))
    return values.filter(~_is_own(values)).union(known.select(values.columns))


def _without_tests(values: ir.Table) -> ir.Table:
    """Drops what a test after training logged: a single step of a new epoch, without a loss.

    Lightning gives it the numbers of the step and of the epoch that would have come next.
    """
    is_loss = (values.meaning == "loss").cast("int8")
    steps = values.group_by(*RUN, "step").agg(
        number=values.value.max(where=_is_own(values)), loss=is_loss.max()
    )
    ends = steps.group_by(*RUN).agg(last=steps.number.max(), learns=steps.loss.max())
    lasts = steps.join(ends, RUN).filter(ibis._.number == ibis._["last"], ibis._["last"] > 0)
    tests = lasts.group_by(*RUN).agg(
        step=lasts.step.max(),
        alone=lasts.count() == 1,
        learns=lasts.learns.max(),
        loss=lasts.loss.max(),
    )
    tests = tests.filter(tests.alone, tests.learns > tests.loss)
    return values.anti_join(tests, [*RUN, "step"])


def _is_own(values: ir.Table) -> ir.BooleanValue:
    """Whether a value is one of the numbers of epochs that Lightning adds to each row."""
    return cast(ir.BooleanValue, (values.meaning == "epoch") & (values.metric == OWN))


def _began(values: ir.Table) -> ir.BooleanValue:
    """Whether a value is of a run that logged epoch 0; another one goes on with an earlier run."""
    of_run = ibis.window(group_by=list(RUN))
    return cast(ir.BooleanValue, values.value.min(where=_is_own(values)).over(of_run) == 0)


rows = partial(training_logs.rows, source=NAME, as_done=as_done, began=_began)
refusals = training_logs.refusals
totals = training_logs.totals
