"""Reads MLflow's metric histories as progress; a run's parameters are used like tags.

Of data without a length, such as a stream, Hugging Face's trainer logs as `epoch` the share of
`max_steps` that is done, which is no epoch. Its arguments are parameters of the run.
"""

from __future__ import annotations

from functools import partial

import ibis
import ibis.expr.types as ir

from models.formats.json_fields import entry
from models.formats.progress import run_trackers

NAME = "mlflow"
VIEW = run_trackers.VIEW
REQUIRED = run_trackers.REQUIRED
EPOCH = "epoch"
"""What Hugging Face's trainer calls its epochs."""
MOST, PLANNED = "max_steps", "num_train_epochs"
"""Two of its arguments; that it logged them together tells that a run is its own."""
PRECISION = 1e-6


def without_shares(values: ir.Table) -> ir.Table:
    """Sets epochs to null in runs that log step ÷ `max_steps` as the epoch; keeps their steps."""
    if "step" not in values.columns:
        return values
    most = entry(values, "Tags", MOST).try_cast("float64")
    by_trainer = (values.metric == EPOCH) & entry(values, "Tags", PLANNED).notnull()
    done = values.step.cast("float64")
    apart = (values.value.cast("float64") * most - done).abs()
    share = by_trainer & (most > 0) & (done > 0) & (apart <= done * PRECISION)
    of_run = ibis.window(group_by=["source", "run_name", "Tags"])
    endless = share.fill_null(False).any().over(of_run)
    return values.mutate(value=ibis.ifelse(by_trainer & endless, None, values.value))


rows = partial(run_trackers.rows, source=NAME, as_done=without_shares)
refusals = run_trackers.refusals
totals = run_trackers.totals
