"""Checks whether a lineage's tokens count the same work as its epochs, where it reports both.

A token counter that stops, starts late or starts anew counts less work than was done: on GPU a
token then looks dearer than it was, and every Trainium token would claim that price. Tokens are
usable where at most 1 % of the epochs rose outside the time in which the run's own tokens did, and
of the tokens outside the time in which it reported epochs; and where as large a share of the tokens
was repeated after a restart as of the epochs, to 1 %. Tokens per epoch are not compared: they vary
within a run that packs its sequences (METHOD §3.1, §3.4).
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step
from models.contract.joins import left_join

TOLERANCE = 0.01
NEAR = ibis.interval(minutes=1)
"""A tracker may write the metrics of one moment one after another."""
RUN = ["workload", "run"]
SUMS = ("rise", "repeated", "outside")


@step(
    grain="workload × lineage",
    units="words",
    nulls="unusable: the tokens count the same work as the epochs, or one is not reported",
    method="§3.1, §3.4",
    whose="run",
)
def token_counter_checks(work_daily: ir.Table, progress_steps: ir.Table) -> ir.Table:
    """Lists, per lineage, in words why its tokens contradict its epochs; null if they do not.

    The counters of all runs that the lineage counts are added up.
    """
    runs = work_daily.filter(work_daily.in_lineage).select(*RUN, "lineage").distinct()
    steps = progress_steps
    tokens, epochs = steps.filter(steps.counter == "tokens"), steps.filter(steps.counter == "epoch")
    rows = left_join(runs, _sums(tokens, _span(epochs)), RUN)
    rows = rows.rename({f"token_{name}": name for name in SUMS})
    rows = left_join(rows, _sums(epochs, _span(tokens.filter(tokens.rise > 0))), RUN)
    sums = rows.group_by("workload", "lineage").agg(
        both=(rows.token_rise.notnull() & rows.rise.notnull()).any(),
        **{name: rows[name].sum() for name in (*SUMS, *(f"token_{name}" for name in SUMS))},
    )
    return sums.select(
        "workload", "lineage", unusable=ibis.ifelse(sums.both, _unusable(sums), None)
    )


def _span(steps: ir.Table) -> ir.Table:
    """Returns the first and last time at which each run's counter was sampled."""
    return steps.group_by(RUN).agg(
        since=steps.since.min(), first=steps.observed_at.min(), until=steps.observed_at.max()
    )


def _sums(steps: ir.Table, span: ir.Table) -> ir.Table:
    """Sums each run's new and repeated work, and the new work outside a span of time."""
    rows = left_join(steps.drop("since"), span, RUN)
    # a counter's first rise has no earlier sample, so it belongs to the moment of its own sample
    begun = (rows.observed_at > rows.since) | (rows.observed_at >= rows.first - NEAR)
    inside = begun & (rows.observed_at <= rows.until + NEAR)
    return rows.group_by(RUN).agg(
        rise=rows.rise.sum(),
        repeated=rows.repeated.sum(),
        outside=rows.rise.sum(where=~inside.fill_null(False)),
    )


def _unusable(sums: ir.Table) -> ir.Value:
    """Says in words why a lineage's token counter cannot be used; null if it can."""
    run = ibis.literal("run ")
    tokens = _share(sums.token_repeated, sums.token_rise + sums.token_repeated)
    epochs = _share(sums.repeated, sums.rise + sums.repeated)
    return ibis.cases(
        (
            _share(sums.outside, sums.rise) > TOLERANCE,
            run + sums.lineage + " made epochs while its token counter did not rise",
        ),
        (
            _share(sums.token_outside, sums.token_rise) > TOLERANCE,
            run + sums.lineage + " counted tokens while it reported no epochs",
        ),
        (
            (tokens - epochs).abs() > TOLERANCE,
            run + sums.lineage + " repeated another share of its tokens than of its epochs",
        ),
    )


def _share(part: ir.Value, whole: ir.Value) -> ir.Value:
    """Divides a part by its whole as a fraction; 0 if the whole is 0."""
    return (part.cast("float64") / whole.cast("float64").nullif(0)).fill_null(0)
