"""Computes how much work a result takes on GPU, for workloads with a target loss (METHOD §3.6).

It is what a window's runs did until they reached the target, and all that the others did, ÷ how
many reached it. Example: one run reached the target after 10 epochs, one ended at 10 without: 20.
A platform none of whose runs reached the target is no candidate for the baseline.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.joins import left_join
from models.contract.money import ratio
from models.contract.rules.work.kinds_of_work import KIND, KIND_SINCE


def target_cap(sums: ir.Table) -> ir.Value:
    """Returns the column of GPU work per result; null without a target loss or any result."""
    return ibis.ifelse(sums.aimed, ratio(sums.until_target, sums.reached), None)


def misses_target(sums: ir.Table) -> ir.BooleanValue:
    """Returns the condition that a set of GPU runs has a target loss and none reached it."""
    return sums.aimed & (sums.reached == 0)


def candidates_by_day(days: ir.Table, steps: ir.Table) -> ir.Table:
    """Pairs a recipe's days with GPU platforms that may be its baseline, and costs; null if none.

    A platform none of whose runs reached the target loss is no candidate; `missed_on` names it.
    """
    missed = steps.missed
    begins = steps.group_by(KIND_SINCE).agg(
        missed_on=steps.candidate.collect(where=missed, order_by=steps.candidate).join(", "),
        missed_by=steps.lineages.sum(where=missed),
    )
    begins = begins.mutate(date=begins.since)
    held = days.asof_join(begins, on="date", predicates=KIND)
    held = held.select(*days.columns, "since", "missed_on", "missed_by")
    return left_join(held, steps.filter(~missed), KIND_SINCE)
