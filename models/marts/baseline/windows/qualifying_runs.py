"""Counts the GPU runs of each training recipe that qualify for a baseline (METHOD §5.1)."""

from __future__ import annotations

import ibis.expr.types as ir

from models.contract.declaration import step
from models.contract.joins import left_join
from models.contract.money import ratio
from models.contract.rules.work.kinds_of_work import KIND
from models.marts.baseline.windows.ended_runs import ended_runs
from models.marts.baseline.windows.omitted_runs import omissions_in_words


@step(
    grain="workload × kind",
    units="lineages; dollars on `cost.basis` per unit",
    nulls="omitted_in_all: none is left out; gpu_cost_per_epoch: none qualifies",
    method="§5.1",
    whose="workload",
)
def qualifying_runs(lineage_facts: ir.Table, comparable: ir.Table) -> ir.Table:
    """Counts each recipe's GPU runs that qualify for a baseline (resumed as one); adds unit cost.

    `omitted_in_all` says in words which ended lineages cannot qualify, and why.
    """
    ended = ended_runs(lineage_facts, comparable)
    good = ended.qualifies
    counts = ended.group_by(KIND).agg(
        qualifying=ended.lineage.count(where=good),
        gpu_cost_per_epoch=ratio(ended.cost.sum(where=good), ended.work.sum(where=good)),
    )
    left = omissions_in_words(ended.filter(ended.omitted.notnull()), KIND)
    return left_join(counts, left.rename(omitted_in_all="omitted"), KIND)
