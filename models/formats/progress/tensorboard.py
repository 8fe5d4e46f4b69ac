"""Reads scalars of TensorBoard's event files as progress; the folder of a file names its run.

What Lightning logged for TensorBoard (`lightning` is true) has the numbers of the step and of the
epoch under way, counted from 0, as in the log of its CSVLogger: they are read alike.
"""

from __future__ import annotations

from functools import partial

import ibis.expr.types as ir

from models.formats.progress import lightning, run_trackers

NAME = "tensorboard"
VIEW = run_trackers.VIEW
REQUIRED = (*run_trackers.REQUIRED, "step", "lightning")


def _as_done(values: ir.Table) -> ir.Table:
    """Converts Lightning's numbers of steps and epochs under way to how many are done."""
    converted = lightning.as_done(values.filter(values.lightning))
    return values.filter(~values.lightning).union(converted.select(values.columns))


rows = partial(run_trackers.rows, source=NAME, as_done=_as_done)
refusals = run_trackers.refusals
totals = run_trackers.totals
