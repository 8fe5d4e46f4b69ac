"""Adds to a window the GPU runs that ended too short to qualify (METHOD §5.1).

GPU's failures are part of its price: a run with progress that ended between the window's first end
and its last adds its cost and its work. Example: two runs of 10 epochs and $2,000, and ten of 0.8
epoch and $240 each that ended between those two: $6,400 for 28 epochs.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.rules.work.kinds_of_work import CANDIDATE


def with_failed_runs(chosen: ir.Table, failed: ir.Table, of: list[str]) -> ir.Table:
    """Adds to each window the failed GPU runs that ended between its first and its last end."""
    spans = chosen.group_by(CANDIDATE).agg(first=chosen.ended_on.min(), last=chosen.ended_on.max())
    in_span = failed.join(spans, of)
    among = in_span.filter(
        (in_span.ended_on >= in_span["first"]) & (in_span.ended_on <= in_span["last"])
    )
    columns = [*CANDIDATE, "lineage", "work", "qualifies", "stale", "later"]
    nothing = ibis.literal(False)
    return chosen.select(columns).union(among.mutate(stale=nothing, later=nothing).select(columns))
