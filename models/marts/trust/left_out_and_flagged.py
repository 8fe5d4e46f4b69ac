"""Dollars that a headline leaves out, or counts with a flag.

Grain: date × workload × kind (`left_out`, `flagged`) × reason, dollars of gross saving; null where
they cannot be known. Left out: days that are not settled, lineages that do not compare, workloads
that must be verified and are not or have no baseline, runs whose cost or hours are unknown. Of
Trainium runs that were for nobody knows what the cost counts, so what is left out is what their
epochs would have cost on GPU. Flagged: savings without any loss to verify them, without a price or
with an unconfirmed one, of lineages still running.
"""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.contract.joins import left_join
from models.contract.money import carried_product
from models.contract.rules.kinds_of_work import with_own_baseline


def left_out_and_flagged(
    credited_daily: ir.Table,
    baselines: ir.Table,
    further_baselines: ir.Table,
    workload_state: ir.Table,
    work_daily: ir.Table,
    lineage_facts: ir.Table,
) -> ir.Table:
    """`date`, `workload`, `kind`, `reason`, `amount`."""
    rows = with_own_baseline(credited_daily, baselines, further_baselines, "value", "flags")
    rows = _priced(rows, workload_state)
    compares = rows.standing == "counted"
    settled = rows.settled & compares
    may_claim = settled & ~rows.must_verify
    claimed = may_claim & rows.value.notnull()
    unverified = rows.unverified | (rows.parity == "unverified").fill_null(False)
    parts = [
        _named(rows.filter(~rows.settled & compares), "left_out", "unsettled"),
        _named(rows.filter(rows.settled & ~compares), "left_out", "not_comparable"),
        _named(rows.filter(settled & rows.must_verify), "left_out", "require_verified"),
        _named(rows.filter(may_claim & rows.value.isnull()), "left_out", "insufficient_baseline"),
        _unknown(work_daily, lineage_facts),
        _withheld(rows.filter(compares & (rows.withheld_epochs > 0))),
        _named(rows.filter(claimed & unverified), "flagged", "unverified"),
        _named(rows.filter(claimed & (rows.parity == "pending")), "flagged", "pending"),
        *(
            _named(rows.filter(claimed & rows.flags.contains(flag)), "flagged", flag)
            for flag in ("price_unavailable", "stale_price")
        ),
    ]
    return cast(ir.Table, ibis.union(*parts))


def _priced(rows: ir.Table, workload_state: ir.Table) -> ir.Table:
    """Each lineage's day with what it saved, counted or not."""
    state = workload_state.select("workload", "must_verify", "unverified")
    rows = left_join(rows, state, ["workload"])
    line = ("workload", "lineage")
    earned = carried_product(rows.value, rows.credited_epochs, within=line, order="date")
    claimed = carried_product(rows.value, rows.epochs, within=line, order="date")
    saved, whole = earned - rows.cost, claimed - rows.cost
    return rows.mutate(saved=ibis.ifelse(rows.standing == "counted", saved, whole))


def _named(rows: ir.Table, kind: str, reason: str) -> ir.Table:
    return rows.select(
        "date",
        "workload",
        kind=ibis.literal(kind),
        reason=ibis.literal(reason),
        amount=rows.saved,
    )


def _withheld(rows: ir.Table) -> ir.Table:
    """The counterfactual of runs whose purpose cannot be followed."""
    line = ("workload", "lineage")
    amount = carried_product(rows.value, rows.withheld_epochs, within=line, order="date")
    return rows.select(
        "date", "workload", kind=ibis.literal("left_out"), reason="misplaced", amount=amount
    )


def _unknown(work_daily: ir.Table, lineage_facts: ir.Table) -> ir.Table:
    """Lineages that cannot be counted: nothing ran on an accelerator, or not at a known cost."""
    facts = lineage_facts
    odd = facts.select(
        "workload",
        "lineage",
        odd=ibis.cases(
            (facts.unpriced, "cost_unknown"),
            ((facts.all_hours == 0) & (facts.epochs > 0), "no_accelerator_hours"),
        ),
    )
    made = work_daily.filter((work_daily.epochs > 0) & work_daily.in_lineage)
    left = made.join(odd.filter(odd.odd.notnull()), ["workload", "lineage"])
    return left.select(
        "date",
        "workload",
        kind=ibis.literal("left_out"),
        reason="odd",
        amount=ibis.null("decimal(38, 9)"),
    )
