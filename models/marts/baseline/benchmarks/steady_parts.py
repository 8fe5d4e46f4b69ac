"""Measures the steady part of a run: after the first tenth of its time (METHOD §5.6).

Its samples after the first tenth of its reported time. Example: a run that reports every ten
minutes from 00:10 to 01:50 is steady from 00:20 on; the work between its samples of 00:20 and 01:50
took an hour and a half. Compilation and loading are not in it.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.schema import NUMBER

COUNTED = ["workload", "run", "counter"]
WARM_UP = 10
"""One part of so many of the reported time is left out."""
FEWEST = 2
"""Samples without which there is no time between them."""


def steady_parts(progress_steps: ir.Table, runs: ir.Table) -> ir.Table:
    """Counts samples, seconds and work of each run's counters after the first tenth of its time.

    `work` is the rise of the high-water mark in the counter's own unit; work done again after a
    restart takes time and adds none. `reported_seconds` is from the first sample to the last.
    """
    steps = progress_steps.semi_join(runs, ["workload", "run"])
    whole = ibis.window(group_by=COUNTED)
    rows = steps.mutate(at=steps.observed_at.epoch_seconds())
    rows = rows.mutate(begin=rows.at.min().over(whole), end=rows.at.max().over(whole))
    rows = rows.filter((rows.at - rows.begin) * WARM_UP >= rows.end - rows.begin)
    rows = rows.mutate(warm=rows.at.min().over(whole))
    return rows.group_by(COUNTED).agg(
        samples=rows.at.nunique(),
        seconds=rows.at.max() - rows.at.min(),
        work=rows.rise.sum(where=rows.at > rows.warm).cast(NUMBER),
        reported_seconds=(rows.end - rows.begin).max(),
        last_sample=rows.observed_at.max(),
    )
