"""Lists ended GPU runs, resumed ones as one, and if a baseline may include them (METHOD §5.1).

`qualifies` from `least_work` on. A lineage with less work failed, and its cost counts in the
baseline, too. `omitted` says in words why a lineage is neither: how much work its cost bought is
unknown (`unknown_work`). Counting such a run as failed would make the others' work look dearer.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.joins import left_join
from models.contract.rules.work.kinds_of_work import KIND
from models.contract.rules.work.lineage_qualifies import LATE, PARTLY_REPORTED, unknown_work
from models.contract.rules.work.units_of_work import plural_names

FACTS = (
    "workload", "lineage", "on_gpu", "ended", "ended_on", "ended_at", "cost", "reports",
    "reports_progress", "reported_late", "partly_reported",
)  # fmt: skip
COMPARED = (
    "workload", "lineage", "kind", "unit", "comparability", "not_countable", "work", "least_work",
    "qualifies",
)  # fmt: skip


def ended_runs(lineage_facts: ir.Table, comparable: ir.Table) -> ir.Table:
    """Lists ended GPU runs, resumed ones as one: work, cost, and if a baseline may include them.

    There is one row per workload × lineage, for those that compare, and those that did not report
    in the unit of their kind. `cost` is in dollars on the configured basis, `work` in that unit.
    """
    facts = lineage_facts.select(*FACTS).filter(lineage_facts.on_gpu & lineage_facts.ended)
    rows = facts.join(comparable.select(*COMPARED), ["workload", "lineage"])
    rows = rows.filter((rows.comparability == "comparable") | rows.not_countable)
    not_countable = ibis.literal("whose work is not counted in ") + plural_names(rows.unit)
    rows = rows.mutate(unknown=ibis.ifelse(rows.not_countable, not_countable, unknown_work(rows)))
    rows = _accepted(rows)
    return rows.select(
        "workload",
        "lineage",
        "kind",
        "ended_on",
        "ended_at",
        "work",
        "cost",
        qualifies=rows.accepted & (rows.work >= rows.least_work).fill_null(False),
        omitted=ibis.ifelse(rows.accepted, None, rows.unknown),
    )


def _accepted(rows: ir.Table) -> ir.Table:
    """Adds `accepted`: a run reported all work, or its cost per unit is below the others' even so.

    Example: the others cost $100 an epoch. A lineage of $500 reported 10 epochs, and may have done
    more. It cost at most $50 an epoch, so it is accepted; one of $1,500 is not.
    """
    others = rows.filter(rows.qualifies).group_by(KIND)
    means = others.agg(
        others_cost=lambda row: row.cost.sum(), others_work=lambda row: row.work.sum()
    )
    rows = left_join(rows, means, KIND)
    cheap = rows.cost.cast("float64") * rows.others_work.cast("float64") < (
        rows.others_cost.cast("float64") * rows.work.cast("float64")
    )
    partly = rows.unknown.isin((LATE, PARTLY_REPORTED)) & cheap
    return rows.mutate(accepted=rows.unknown.isnull() | partly.fill_null(False))
