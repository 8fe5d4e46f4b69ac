"""Derives the portfolio's state (cutover, baseline, …) from its workloads' (METHOD §6.7)."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.portfolio import PORTFOLIO

STATE = (
    "none_compare", "never_on_gpu", "has_baseline", "must_verify", "unpriced", "none_priced",
    "cutover", "parity",
)  # fmt: skip


def with_portfolio_state(workload_state: ir.Table) -> ir.Table:
    """Adds a row for the portfolio to the workloads' states (cutover, baseline, parity, …).

    A saving of the portfolio is barred only where that of every workload with Trainium work is. Its
    cutover is the first of its workloads'; it has no parity.
    """
    moved = workload_state.has_trn
    portfolio = workload_state.agg(
        none_compare=workload_state.none_compare.all(where=moved),
        never_on_gpu=workload_state.never_on_gpu.all(where=moved),
        has_baseline=workload_state.has_baseline.any(where=moved),
        must_verify=workload_state.must_verify.all(where=moved),
        unpriced=workload_state.unpriced.any(),
        none_priced=workload_state.none_priced.all(where=moved),
        cutover=workload_state.cutover.min(),
        parity=ibis.null("string"),
    ).mutate(workload=ibis.literal(PORTFOLIO))
    return workload_state.select("workload", *STATE).union(portfolio.select("workload", *STATE))
