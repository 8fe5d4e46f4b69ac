"""Finds runs for which two sources of progress disagree.

For each measure the first source in the order of METHOD §3.3 counts. If another source's last value
(the largest counter, the newest loss) differs by more than `TOLERANCE`, one of the two is wrong.
A counter without repeats tells of a resumed run what that run did, not how far it got.
Example: the emitter reports 10 epochs and MLflow 12: 10 count, and `detail` is `epoch: mlflow says
12; 10 from emitter counts`.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.declaration import step
from models.contract.rules.work.progress_sources import rank
from models.marts.work.progress.held_samples import with_held_times, with_resumed
from models.marts.work.progress.samples import MEASURES, RUN, of_several_sources, until_today

TOLERANCE = 0.01
"""Samples of two sources are seldom taken at the same instant."""
LINE = (*RUN, "measure")


@step(
    grain="workload × run",
    units="words; days are UTC",
    nulls="none",
    method="§3.3",
    whose="run",
)
def differing_sources(
    progress: ir.Table,
    held_times: ir.Table,
    charge_kinds: ir.Table,
    config_runs: ir.Table,
    config_workloads: ir.Table,
    settings: Settings,
) -> ir.Table:
    """Lists runs whose sources of progress disagree, and in words (`detail`) what each says."""
    timed = with_held_times(progress, held_times, charge_kinds, config_runs)
    given = until_today(timed, config_workloads, settings)
    given = with_resumed(given.semi_join(of_several_sources(given), RUN), config_runs)
    values = ibis.union(*(_last_values(given, measure) for measure in MEASURES))
    order = ibis.window(group_by=LINE, order_by="rank")
    ranked = values.mutate(
        counted=values.value.first().over(order), counting=values.source.first().over(order)
    )
    apart = (ranked.value - ranked.counted).abs() > TOLERANCE * ranked.counted.abs()
    rows = ranked.filter(apart & (ranked.source != ranked.counting))
    words = (
        rows.measure + ": " + rows.source + " says " + _number(rows.value)
        + "; " + _number(rows.counted) + " from " + rows.counting + " counts"
    )  # fmt: skip
    return rows.group_by(*RUN).agg(
        first_day=rows.first_day.min(),
        last_day=rows.last_day.max(),
        detail=words.collect(order_by=words).join("; "),
    )


def _last_values(given: ir.Table, measure: str) -> ir.Table:
    """Returns each source's last value of a measure per run: largest counter or newest loss."""
    value = given[measure].cast("float64")
    value = ibis.ifelse(value.isnan() | value.isinf(), None, value)
    if measure != "loss":
        of_this_run = given.resumed & given.excludes_repeats.fill_null(False)
        value = ibis.ifelse(of_this_run, None, value)
    rows = given.mutate(value=value, rank=rank(given.source)).filter(
        lambda row: row.value.notnull()
    )
    last = rows.value.argmax(rows.observed_at) if measure == "loss" else rows.value.max()
    return rows.group_by(*RUN, "source", "rank", measure=ibis.literal(measure)).agg(
        value=last,
        first_day=rows.observed_at.min().date(),
        last_day=rows.observed_at.max().date(),
    )


def _number(value: ir.Value) -> ir.StringValue:
    """Formats a number without trailing zeros."""
    text = value.cast("decimal(38, 6)").cast("string")
    return text.re_replace(r"\.?0+$", "")
