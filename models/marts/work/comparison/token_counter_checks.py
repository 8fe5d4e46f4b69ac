"""Checks if the tokens of a lineage of runs count the same work as its epochs, if it reports both.

A token counter that stops, starts late or starts anew counts less work than was done: on GPU a
token then looks dearer than it was, and every Trainium token would claim that price. Tokens are
usable where at most 1 % of the epochs rose outside the time in which the run's own tokens did, and
of the tokens outside the time in which it reported epochs; and where as large a share of the tokens
was repeated after a restart as of the epochs, to 1 %. Nor may the counter begin above ten of its
own distances, as one does that goes on with that of a base model, where the epochs show no such
beginning; nor may a counter of samples. Tokens per epoch are not compared: they vary within a run
that packs its sequences (METHOD §3.1, §3.4).
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step
from models.contract.joins import left_join
from models.marts.work.progress.run_starts import DISTANCES

TOLERANCE = 0.01
NEAR = ibis.interval(minutes=1)
"""A tracker may write the metrics of one moment one after another."""
RUN = ["workload", "run"]
SUMS = ("rise", "repeated", "outside")
JUMPS = ("tokens", "samples")
"""Counters that may go on with that of a base model."""


@step(
    grain="workload × lineage",
    units="words",
    nulls="unusable: the tokens count the same work as the epochs, or one is not reported; "
    "samples_unusable: likewise",
    method="§3.1, §3.4",
    whose="run",
)
def token_counter_checks(work_daily: ir.Table, progress_steps: ir.Table) -> ir.Table:
    """Lists per lineage of runs why tokens or samples contradict its epochs; null if they agree.

    The counters of all runs that the lineage counts are added up, to compare tokens with epochs
    those of runs that report both.
    """
    runs = work_daily.filter(work_daily.in_lineage).select(*RUN, "lineage").distinct()
    steps = progress_steps
    tokens, epochs = steps.filter(steps.counter == "tokens"), steps.filter(steps.counter == "epoch")
    rows = left_join(runs, _sums(tokens, _span(epochs)), RUN)
    rows = rows.rename({f"token_{name}": name for name in SUMS})
    rows = left_join(rows, _sums(epochs, _span(tokens.filter(tokens.rise > 0))), RUN)
    for counter in JUMPS:
        jumps = _jumps(steps.filter(steps.counter == counter), epochs)
        names = {_jump(counter): "jump", _whole(counter): "whole"}
        rows = left_join(rows, jumps.rename(names), RUN)
    both = rows.token_rise.notnull() & rows.rise.notnull()
    compared = (*SUMS, *(f"token_{name}" for name in SUMS))
    added = (*map(_jump, JUMPS), *map(_whole, JUMPS))
    sums = rows.group_by("workload", "lineage").agg(
        both=both.any(),
        **{name: rows[name].sum(where=both) for name in compared},
        **{name: rows[name].sum() for name in added},
    )
    return sums.select(
        "workload",
        "lineage",
        unusable=ibis.ifelse(sums.both, _unusable(sums), None),
        samples_unusable=ibis.cases((_jumped(sums, "samples"), _far_above(sums, "samples"))),
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


def _jumps(counted: ir.Table, epochs: ir.Table) -> ir.Table:
    """Returns each run's counted work, and how much of it was there before its epochs (`jump`)."""
    in_run = ibis.window(group_by=RUN, order_by="observed_at")
    rows = counted.mutate(place=ibis.row_number().over(in_run))
    begun = rows.group_by(RUN).agg(
        began=rows.observed_at.min(),
        whole=rows.rise.sum(),
        first_rise=rows.rise.sum(where=rows.place == 0),
        usual=rows.rise.cast("float64").nullif(0).median(where=rows.place > 0),
    )
    known = begun.join(_shares(epochs, begun), RUN)
    above = known.first_rise.cast("float64") > known.usual.fill_null(0) * DISTANCES
    ahead = _share(known.first_rise, known.whole) - known.share > TOLERANCE
    jump = ibis.ifelse(above & ahead, known.first_rise, 0)
    return known.select(*RUN, "whole", jump=jump)


def _shares(epochs: ir.Table, begun: ir.Table) -> ir.Table:
    """Returns per run the largest share of its epochs that may have preceded its token counter.

    That is by the next report of epochs; runs that made none have no share.
    """
    rows = epochs.join(begun.select(*RUN, "began"), RUN)
    earlier = rows.observed_at < rows.began - NEAR
    sums = rows.group_by(RUN).agg(
        earlier=rows.rise.sum(where=earlier),
        following=rows.rise.argmin(rows.observed_at, where=~earlier),
        all=rows.rise.sum(),
    )
    done = sums.earlier.fill_null(0) + sums.following.fill_null(0)
    made = sums["all"] > 0
    return sums.filter(made).select(*RUN, share=_share(done, sums["all"]))


def _jump(counter: str) -> str:
    return f"{counter}_jump"


def _whole(counter: str) -> str:
    return f"{counter}_whole"


def _jumped(sums: ir.Table, counter: str) -> ir.BooleanValue:
    """Whether over 1 % of a counter's work was there before the epochs that it should match."""
    return _share(sums[_jump(counter)], sums[_whole(counter)]) > TOLERANCE


def _far_above(sums: ir.Table, counter: str) -> ir.Value:
    return ibis.literal("run ") + sums.lineage + f" began to count {counter} far above 0"


def _unusable(sums: ir.Table) -> ir.Value:
    """Says in words why a token counter of a lineage of runs is unusable; null if it is usable."""
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
        (_jumped(sums, "tokens"), _far_above(sums, "tokens")),
        (
            (tokens - epochs).abs() > TOLERANCE,
            run + sums.lineage + " repeated another share of its tokens than of its epochs",
        ),
    )


def _share(part: ir.Value, whole: ir.Value) -> ir.Value:
    """Divides a part by its whole as a fraction; 0 if the whole is 0."""
    return (part.cast("float64") / whole.cast("float64").nullif(0)).fill_null(0)
