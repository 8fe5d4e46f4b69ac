"""Where each workload stands before any saving is added up.

Grain: workload. `cutover` is the first settled day of its first production Trainium run: one that
the bill names, or one that reports while Trainium runs under the workload's tag alone, from the
first of those days without a break: a forgotten run tag cannot hide what it cost (METHOD §6:
overhead counts from cutover on); null before any run counts. `barred` says in words why no saving
can be claimed at all (null: it can): must losses verify it, those of each kind of its work must;
`verified` whether any loss is reported on its baseline; `none_compare` that no Trainium lineage
compares.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.joins import left_join


def workload_state(
    lineage_facts: ir.Table,
    parity_verdicts: ir.Table,
    baseline_steps: ir.Table,
    workload_settled: ir.Table,
    cutovers: ir.Table,
    config_workloads: ir.Table,
    settings: Settings,
) -> ir.Table:
    """One row per workload that the bill, progress or the config knows."""
    trn = parity_verdicts
    differs = (trn.comparability != "comparable").fill_null(False)
    lossless = trn.group_by("workload", "kind").agg(lossless=(trn.parity == "unverified").all())
    sides = trn.group_by("workload").agg(
        none_compare=differs.all(),
        unverified=(trn.parity == "unverified").all(where=~differs),
        **{
            name: ((trn.parity == verdict) & ~differs).any()
            for name, verdict in (
                ("below", "below_parity"), ("passed", "parity"), ("pending", "pending"),
            )
        },
    )  # fmt: skip
    first = baseline_steps.filter(baseline_steps.kind == 0)
    lossless = lossless.group_by("workload").agg(lossless=lossless.lossless.any())
    sides = left_join(sides, lossless, ["workload"])
    windows = first.group_by("workload").agg(windows=ibis.literal(True))
    rows = _of_workload(_of_workload(workload_settled, sides), windows)
    rows = _of_workload(rows, cutovers)
    rows = _of_workload(rows, config_workloads.select("workload", "require_verified"))
    rows = _of_workload(rows, _unpriced(lineage_facts))
    rows = rows.mutate(
        has_trn=rows.none_compare.notnull(),
        none_compare=rows.none_compare.fill_null(False),
        has_baseline=rows.windows.fill_null(False)
        if settings.baseline.method != "fixed"
        else ibis.literal(True),
        unverified=rows.unverified.fill_null(False),
        unpriced=rows.unpriced.fill_null(False),
    )
    needs_loss = rows.require_verified.fill_null(False) & rows.lossless.fill_null(False)
    return rows.mutate(
        must_verify=needs_loss,
        barred=rows.none_compare | needs_loss | ~rows.has_baseline,
        parity=ibis.cases(
            (~rows.has_trn | rows.none_compare | ~rows.has_baseline, None),
            (rows.unverified, "unverified"),
            (rows.below & (rows.passed | rows.pending), "mixed"),
            (rows.below, "below_parity"),
            (rows.passed, "parity"),
            else_="pending",
        ),
    )


def _unpriced(lineage_facts: ir.Table) -> ir.Table:
    """Workloads with Trainium work whose cost cannot be known yet."""
    odd = lineage_facts.filter(lineage_facts.unpriced)
    return odd.group_by("workload").agg(unpriced=ibis.literal(True))


def _of_workload(left: ir.Table, right: ir.Table) -> ir.Table:
    return left_join(left, right, ["workload"])
