"""Payers that bore idle commitment of the portfolio, and until when they told of it.

Grain: billing account. After `settled_through` what stays idle there is unknown, not nothing: a
stalled export never turns into $0 (METHOD §1). Only a commitment that its payer was billed without
for longer than `ENDED` days has ended; the bill of one that may still run has to come, or to be
closed.
"""

from __future__ import annotations

import ibis.expr.types as ir

from models.marts.cost.commitments.commitments import MONTH, bearing, concerning

ENDED = 31
"""Days, for a bill that tells of a commitment once a month."""


def silent_payers(idle_commitments: ir.Table, covered_hours: ir.Table) -> ir.Table:
    """`billing_account`, `settled_through`."""
    alone = concerning(idle_commitments, covered_hours).anti_join(bearing(covered_hours), MONTH)
    ended = alone.until.epoch_days() - alone.newest.epoch_days() > ENDED
    running = alone.filter(~ended.fill_null(False))
    return running.group_by(billing_account="payer").agg(settled_through=running.until.max())
