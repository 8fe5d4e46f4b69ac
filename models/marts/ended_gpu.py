"""GPU lineages that have ended, and whether a baseline may stand on them (METHOD §5).

Grain: workload × lineage, and the `kind` of work that it is. `qualifies` from 0.9 epoch on; what
falls short of that failed, and its cost is the baseline's too. `omitted` says in words why a
lineage is neither: nobody reported how far it got, or not until much of it was over
(`counts_late`), or not of one of its runs (`half_told`), or in samples alone and not how many make
an epoch. METHOD adds runs that failed,
which is not known of these; their cost without their epochs would make the others' epochs dearer.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

ENOUGH_EPOCHS = 0.9
SILENT, LATE = "that never reported", "whose reporting began late"
EPOCHLESS, UNSIZED = "that reported no epochs", "whose samples make no known epoch"
HALF_TOLD = "with a part that never reported"


def ended_gpu(lineage_facts: ir.Table, comparable: ir.Table) -> ir.Table:
    """`kind`, `ended_on`, `work`, `per_epoch`, `cost`, `final_loss`, `qualifies`, `omitted`.

    Those that compare, and those that never said what they were.
    """
    rows = lineage_facts.join(comparable, ["workload", "lineage"])
    rows = rows.filter(rows.on_gpu & rows.ended)
    rows = rows.filter(~rows.counts | (rows.comparability == "comparable"))
    return rows.select(
        "workload",
        "lineage",
        "kind",
        "ended_on",
        "work",
        "per_epoch",
        "cost",
        "final_loss",
        qualifies=qualifies(rows),
        omitted=_omitted(rows),
    )


def qualifies(lineages: ir.Table) -> ir.BooleanValue:
    """Whether a lineage that compares may stand in a baseline."""
    known = (lineages.epochs >= ENOUGH_EPOCHS) & _omitted(lineages).isnull()
    return lineages.on_gpu & lineages.ended & known


def _omitted(facts: ir.Table) -> ir.StringValue:
    """Why nobody knows the epochs of what a lineage cost; null where somebody does."""
    return ibis.cases(
        (~facts.sampled, SILENT),
        (~facts.counts, EPOCHLESS),
        (facts.unsized, UNSIZED),
        (facts.counts_late, LATE),
        (facts.half_told, HALF_TOLD),
    )
