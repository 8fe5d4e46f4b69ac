"""Which GPU lineages qualify for a baseline, and why others do not (METHOD §5.1).

Comparable work (METHOD §3.4) asks the same question, for a kind of work needs enough of them.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

ENOUGH_EPOCHS = 0.9
SILENT, LATE = "that never reported", "whose reporting began late"
EPOCHLESS, UNSIZED = "that reported no epochs", "whose samples make no known epoch"
PARTLY_REPORTED = "with a part that never reported"


def qualifies(lineages: ir.Table) -> ir.BooleanValue:
    """Whether a lineage may set a baseline: GPU only, ended, 0.9 epoch or more, all work reported.

    Whether it is comparable is not asked here, and must be as well.
    """
    known = (lineages.epochs >= ENOUGH_EPOCHS) & unknown_work(lineages).isnull()
    return lineages.on_gpu & lineages.ended & known


def unknown_work(lineages: ir.Table) -> ir.StringValue:
    """Says why the epochs that a lineage of runs trained are unknown; null if they are known."""
    return ibis.cases(
        (~lineages.reports, SILENT),
        (~lineages.reports_epochs, EPOCHLESS),
        (lineages.unsized, UNSIZED),
        (lineages.reported_late, LATE),
        (lineages.partly_reported, PARTLY_REPORTED),
    )
