"""Decides which lineages of runs compare, and counts their work in one unit (METHOD §3.4).

Lineages compare when they share a workload and a recipe, which is a kind of work; unset equals
unset. `comparability` is `comparable`, or says in words why not: the lineage cannot be counted in
its kind's unit, has no GPU lineage to compare with, or states several recipes. It is then left out
as a whole, on either side. A lineage that reports no progress has no work; on Trainium its cost
counts. If no GPU lineage of the workload counts, none of its lineages compares. A quote in the
config is for every kind, and needs no GPU lineage.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.declaration import step
from models.contract.joins import left_join
from models.contract.rules.work.kinds_of_work import KIND, NO_GPU_RUN
from models.contract.rules.work.units_of_work import plural_names
from models.contract.units import EPOCH, SAMPLES
from models.marts.work.comparison.chosen_units import chosen_units
from models.marts.work.comparison.kinds_of_lineages import with_kinds
from models.marts.work.comparison.units_of_lineages import units_of_lineages

LINE = ["workload", "lineage"]


@step(
    grain="workload × lineage, of those in cost per epoch",
    units="`work` in `unit`",
    nulls="usual (samples per epoch): unset; work_to_target: target loss not reached",
    method="§3.4",
    whose="run",
)
def comparable(
    lineage_facts: ir.Table,
    token_counter_checks: ir.Table,
    config_workloads: ir.Table,
    settings: Settings,
) -> ir.Table:
    """Lists counted lineages of runs: recipe, whether and why they compare, work in its unit."""
    every = units_of_lineages(with_kinds(lineage_facts, token_counter_checks))
    kinds = chosen_units(every, config_workloads, settings.baseline.min_runs)
    units = kinds.select(*KIND, "unit", "least_work", "countable_on_gpu", kind_on_gpu="on_gpu")
    rows = left_join(every.drop("least_work"), units, [*KIND, "unit"])
    rows = rows.filter(rows.countable_on_gpu.notnull())
    moved = kinds.group_by("workload").agg(has_gpu=kinds.has_gpu.any())
    rows = left_join(rows, moved, ["workload"])
    rows = rows.mutate(comparability=_comparability(rows, settings))
    compares = rows.comparability == "comparable"
    return rows.mutate(qualifies=rows.qualifies & compares).select(
        *LINE, "kind", "unit", "main", "comparability", "work", "work_to_target", "least_work",
        "qualifies", "usual", "countable",
        silent=~rows.reports_progress,
        not_countable=rows.reports_progress & ~rows.countable & ~rows.recipes_differ,
    )  # fmt: skip


def _comparability(rows: ir.Table, settings: Settings) -> ir.Value:
    """Returns `comparable`, or in words why a lineage of runs cannot be compared with GPU's."""
    within = ibis.ifelse(
        rows.members > 1, "its runs differ in recipe", "its samples differ in recipe"
    )
    silent = ~rows.reports_progress
    quoted = ibis.literal(settings.baseline.method == "fixed")
    return ibis.cases(
        (rows.recipes_differ & ~silent, within),
        (~rows.has_gpu & ~quoted, NO_GPU_RUN),
        (silent, "comparable"),
        (~rows.kind_on_gpu & ~quoted, "recipe differs"),
        (~rows.countable, _why_not_countable(rows)),
        (~rows.countable_on_gpu & ~quoted, "no GPU run reports " + plural_names(rows.unit)),
        else_="comparable",
    )


def _why_not_countable(rows: ir.Table) -> ir.Value:
    """Says in words why the work of a lineage of runs has no count in its recipe's unit."""
    return ibis.cases(
        ((rows.unit == EPOCH) & rows.in_epochs, "samples per epoch differ"),
        (rows.in_tokens & rows.unusable.notnull() & (rows.unit != EPOCH), rows.unusable),
        (
            rows.in_samples & rows.samples_unusable.notnull() & (rows.unit == SAMPLES),
            rows.samples_unusable,
        ),
        else_="it reports no " + plural_names(rows.unit),
    )
