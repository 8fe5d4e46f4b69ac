"""Converts training steps to tokens and samples by the step size in the config.

`tokens_per_step` and `samples_per_step` of `[[workloads]]` say how much a step is (METHOD §3.1). A
source's own counters come first: its steps count only for a measure that it never reports for the
run. Example: a run reports step 2,000, its workload has 4,194,304 tokens a step: 8,388,608,000
tokens.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.joins import left_join
from models.contract.money import product
from models.contract.schema import NUMBER

PER_STEP = {"samples": "samples_per_step", "tokens": "tokens_per_step"}
"""Measure → the option of `[[workloads]]` that says how much of it a step is."""
LARGEST_COUNT = 1e18
"""A product beyond this comes from a counter that is no step; its dollars would not fit."""


def with_tokens_and_samples(
    given: ir.Table, config_workloads: ir.Table, settings: Settings
) -> ir.Table:
    """Adds tokens or samples that a run's source never reports: steps × configured step size.

    Sizes are joined, because the SQL of a mart names no workload: whoever reads it may not see all.
    """
    columns = given.columns
    for measure, option in PER_STEP.items():
        if any(getattr(one, option) is not None for one in settings.workloads):
            sizes = config_workloads.select("workload", step_size=option)
            sized = left_join(given, sizes, ["workload"])
            given = sized.mutate(**{measure: _counted(sized, measure)}).select(columns)
    return given


def _counted(given: ir.Table, measure: str) -> ir.Value:
    """Returns a measure as reported; for a source that never reports it, steps × step size."""
    same_source = ibis.window(group_by=["workload", "run", "source"])
    reported = given[measure].notnull().any().over(same_source)
    fits = given.step.cast("float64") * given.step_size.cast("float64") <= LARGEST_COUNT
    by_step = ibis.ifelse(fits, product(given.step, given.step_size), None).cast(NUMBER)
    return ibis.ifelse(reported, given[measure], by_step)
