"""Computes what the move is worth when training ends (METHOD §6.4, `ends` of `[[workloads]]`).

Example: $10,000 still to pay back at $416.67 a month takes 24 months. With 18 months left it
is at -$2,500.00 then: training ends first.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.money import product, ratio
from models.contract.schema import MONEY

DAYS_A_YEAR, MONTHS_A_YEAR = 365, 12


def months_to_end(rows: ir.Table) -> ir.Value:
    """Returns the column of months from the last settled day to the end of training.

    It is 0 once training has ended, and null without an end.
    """
    left = rows.ends.epoch_days() - rows.cutoff.epoch_days()
    days = ibis.cases((left > 0, left), (left <= 0, 0))  # `greatest` would take null for 0
    return ratio(days * MONTHS_A_YEAR, ibis.literal(DAYS_A_YEAR))


def value_to_end(rows: ir.Table, months: ir.Value) -> ir.Value:
    """Returns the column of cumulative net at the end of training, if the pace stays as it is."""
    return (rows.cumulative_net + product(rows.forward_per_month, months)).cast(MONEY)


def ends_first(rows: ir.Table, payback: ir.Value, months: ir.Value) -> ir.Value:
    """Returns the condition that training ends before the move is paid back; null without end."""
    later = (payback.isnull() & rows.forward_per_month.notnull()) | (payback > months)
    return ibis.ifelse(rows.ends.notnull(), later, None)
