"""Which GPU runs, with resumptions, qualify for a baseline, or have no known work (METHOD §5.1).

Comparable work (METHOD §3.4) asks the same question, for a unit needs enough of them.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

ENOUGH_EPOCHS = "0.9"
ENOUGH_OF_MEDIAN = "0.1"
"""Of a kind's cost-weighted median work, where it is not counted in epochs."""
SILENT, LATE = "that never reported", "whose reporting began late"
MUTE = "that reported no progress"
PARTLY_REPORTED = "with a part that never reported"


def qualifies(lineages: ir.Table, work: ir.Value, least: ir.Value) -> ir.BooleanValue:
    """Returns the condition: a run with its resumptions is on GPU, ended, reported and long enough.

    Whether it is comparable is not asked here, and must be as well.
    """
    known = (work >= least) & unknown_work(lineages).isnull()
    return lineages.on_gpu & lineages.ended & known


def unknown_work(lineages: ir.Table) -> ir.StringValue:
    """Returns a text column: why the work of a run with its resumptions is unknown, else null."""
    return ibis.cases(
        (~lineages.reports, SILENT),
        (~lineages.reports_progress, MUTE),
        (lineages.reported_late, LATE),
        (lineages.partly_reported, PARTLY_REPORTED),
    )
