"""Splits charge periods where jobs come or go, and computes what each holds at each moment.

While a job is known to hold accelerators, one of none bears nothing. Of jobs that nobody counted,
one that is alone holds the whole machine; beside others, also of a known share, each holds its
processors' part of it, else an equal part. What no job holds is nobody's for a reason (drained,
down), else the gap of the jobs before it.
"""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step
from models.marts.cost.shared_machines.fractions_held import RUN
from models.marts.cost.shared_machines.intervals_and_gaps import GAP

WHERE = ("span", "place")
MICROSECONDS = 1_000_000


@step(
    grain="span × moment × interval that counts in it",
    units="seconds: the moment's × the fraction that was held",
    nulls="none",
    method="§2.10.2, §2.10.4",
    whose="run",
)
def weights_by_moment(intervals_by_period: ir.Table) -> ir.Table:
    """Computes the machine-seconds of each job or gap between two changes of who is there.

    An interval that no other overlaps is one moment of its period, and needs no splitting.
    """
    rows = intervals_by_period.mutate(alone=_alone(intervals_by_period))
    alone = rows.filter(rows.alone).drop("alone")
    alone = alone.mutate(
        moment=alone.since,
        length=_seconds(alone.since, alone.until),
        share=ibis.ifelse(alone.role == RUN, alone.fraction.fill_null(1.0), 1.0),
    )
    several = _shared(rows.filter(~rows.alone).drop("alone"))
    columns = [name for name in alone.columns if name not in ("since", "until")]
    both = alone.select(columns).union(several.select(columns))
    return both.mutate(seconds=both.length * both.share).filter(lambda row: row.seconds > 0)


def _alone(pieces: ir.Table) -> ir.BooleanValue:
    """Whether no other interval of the machine overlaps this one in its period."""
    order = {"group_by": list(WHERE), "order_by": [pieces.since, pieces.until]}
    ended = pieces.until.max().over(ibis.window(**order, preceding=(None, 1)))
    following = pieces.since.lead().over(ibis.window(**order))
    free = (ended <= pieces.since).fill_null(True) & (following >= pieces.until).fill_null(True)
    return cast(ir.BooleanValue, free)


def _shared(rows: ir.Table) -> ir.Table:
    """Splits periods with overlapping intervals into moments; adds each interval's share."""
    edges = rows.select(*WHERE, at="since").union(rows.select(*WHERE, at="until")).distinct()
    turn = ibis.window(group_by=list(WHERE), order_by=[edges["at"]])
    between = edges.mutate(then=edges["at"].lead().over(turn))
    between = between.filter(between.then.notnull()).rename(**{f"{n}_": n for n in WHERE})
    between = between.mutate(number=ibis.row_number())
    here = rows.join(
        between,
        [
            *(rows[name].identical_to(between[f"{name}_"]) for name in WHERE),
            rows.since <= between["at"],
            rows.until >= between.then,
        ],
    ).drop(*(f"{name}_" for name in WHERE))
    here = here.mutate(length=_seconds(here["at"], here.then))
    here = here.join(_counted_at_moments(here), "number")
    gap = here.role == GAP
    equal = 1.0 / here.present.cast("float64").nullif(0)
    own = ibis.cases(
        (here.fraction.notnull(), here.fraction),
        (here.counted, 0.0),
        (here.present == 1, 1.0),
        else_=here.processors.fill_null(equal),
    )
    of_gap = ibis.coalesce(
        here.accelerators.fill_null(0).cast("float64") / here.gap_all.nullif(0.0),
        1.0 / here.gap_count.cast("float64").nullif(0),
    )
    share = ibis.cases(
        (here.role == RUN, own),
        (here.held, 0.0),
        (~gap, 1.0 / here.barred.cast("float64").nullif(0)),
        (here.barred > 0, 0.0),
        else_=of_gap,
    )
    return here.mutate(moment=here["at"], share=share)


def _counted_at_moments(here: ir.Table) -> ir.Table:
    """Counts, per numbered moment, the jobs, gaps and drained or down intervals that cover it."""
    runs, gap = here.role == RUN, here.role == GAP
    return here.group_by("number").agg(
        held=runs.any(),
        counted=(runs & ((here.fraction > 0) & (here.accelerators > 0)).fill_null(False)).any(),
        present=(runs & (here.fraction != 0).fill_null(True)).cast("int64").sum(),
        barred=(~runs & ~gap).cast("int64").sum(),
        gap_all=ibis.ifelse(gap, here.accelerators, None).sum().cast("float64"),
        gap_count=gap.cast("int64").sum(),
    )


def _seconds(since: ir.TimestampValue, until: ir.TimestampValue) -> ir.Value:
    return until.delta(since, unit="microsecond").cast("float64") / MICROSECONDS
