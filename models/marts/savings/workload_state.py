"""Collects the facts that decide whether a workload may claim a saving.

`barred` says that no saving can be claimed: no Trainium lineage compares (`none_compare`; if that
is because no GPU run counts, `never_on_gpu`), losses must verify it and none does (`must_verify`),
or no Trainium work that counts has a GPU baseline on a settled day on which it was done (while
none has settled, on any such day; `has_baseline`).
`unpriced`: some of its Trainium work has no known cost yet; `none_priced`: all of it, so that its
savings are unknown.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step
from models.contract.joins import left_join
from models.contract.rules.work.kinds_of_work import KIND, NO_GPU_RUN, with_own_baseline
from models.marts.savings.credited_epochs import is_on_trainium, standing


@step(
    grain="workload",
    units="dates, UTC; flags",
    nulls="cutover: it has not moved; parity: nothing is comparable",
    method="§3.5, §5.1, §6.5",
    whose="workload",
)
def workload_state(
    lineage_facts: ir.Table,
    parity_verdicts: ir.Table,
    unit_daily: ir.Table,
    baselines: ir.Table,
    workload_settled: ir.Table,
    cutovers: ir.Table,
    config_workloads: ir.Table,
) -> ir.Table:
    """Returns each workload's cutover, baseline, loss parity, and whether it may claim a saving."""
    rows = workload_settled
    for part in (
        _verdicts(parity_verdicts),
        _baselines(_counted(unit_daily, parity_verdicts, config_workloads), baselines),
        cutovers,
        config_workloads.select("workload", "require_verified"),
        _unpriced(lineage_facts),
    ):
        rows = left_join(rows, part, ["workload"])
    rows = rows.mutate(
        has_trn=rows.none_compare.notnull() | rows.unpriced.fill_null(False),
        none_priced=rows.none_compare.isnull() & rows.unpriced.fill_null(False),
        none_compare=rows.none_compare.fill_null(False),
        never_on_gpu=rows.never_on_gpu.fill_null(False),
        has_baseline=rows.known.fill_null(False),
        unverified=rows.unverified.fill_null(False),
        unpriced=rows.unpriced.fill_null(False),
    )
    needs_loss = rows.require_verified.fill_null(False) & rows.unverified
    rows = rows.mutate(must_verify=needs_loss)
    return rows.mutate(
        barred=rows.none_compare | rows.must_verify | ~rows.has_baseline | rows.none_priced,
        parity=_parity(rows),
    )


def _verdicts(verdicts: ir.Table) -> ir.Table:
    """Returns flags per workload: which loss verdicts its runs have, and whether none compares."""
    differs = verdicts.comparability != "comparable"
    found = {"below": "below_parity", "passed": "parity", "pending": "pending"}
    return verdicts.group_by("workload").agg(
        none_compare=differs.all(),
        never_on_gpu=(verdicts.comparability == NO_GPU_RUN).all(),
        unverified=(verdicts.parity == "unverified").all(where=~differs),
        **{
            name: ((verdicts.parity == verdict) & ~differs).any() for name, verdict in found.items()
        },
    )


def _counted(unit_daily: ir.Table, verdicts: ir.Table, config_workloads: ir.Table) -> ir.Table:
    """Lists the days and recipes of Trainium work that savings do not leave out as a whole."""
    required = config_workloads.select("workload", "require_verified")
    lines = left_join(verdicts, required, ["workload"])
    lines = lines.filter(standing(lines) == "counted").select("workload", "lineage")
    trained = unit_daily.filter(is_on_trainium(unit_daily))
    days = trained.semi_join(lines, ["workload", "lineage"])
    return days.select("date", *KIND, "settled").distinct()


def _baselines(counted: ir.Table, baselines: ir.Table) -> ir.Table:
    """Lists the workloads with a baseline for Trainium work that counts, on a day it was done.

    Those days are settled; only of a workload without such a day they are those still to settle.
    """
    some = counted.settled.any().over(ibis.window(group_by="workload"))
    done = counted.mutate(some=some).filter(lambda row: row.settled | ~row.some)
    days = with_own_baseline(done, baselines, "value")
    known = days.filter(days.value.notnull())
    return known.group_by("workload").agg(known=ibis.literal(True))


def _parity(rows: ir.Table) -> ir.Value:
    """Merges a workload's loss verdicts into one word (`parity`, `mixed`, …); null without any."""
    return ibis.cases(
        (~rows.has_trn | rows.none_priced | rows.none_compare, None),
        (~rows.has_baseline & ~rows.must_verify, None),
        (rows.unverified, "unverified"),
        (rows.below & (rows.passed | rows.pending), "mixed"),
        (rows.below, "below_parity"),
        (rows.passed, "parity"),
        else_="pending",
    )


def _unpriced(lineage_facts: ir.Table) -> ir.Table:
    """Lists the workloads with Trainium work whose cost is not known yet."""
    odd = lineage_facts.filter(lineage_facts.unpriced)
    return odd.group_by("workload").agg(unpriced=ibis.literal(True))
