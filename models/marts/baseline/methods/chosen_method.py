"""Chooses the method whose cost per unit is the baseline; by default the lower (METHOD §5.5).

Example: measured $262.50 and repriced $175.875 an epoch. `conservative` takes $175.875; without a
price for the day it takes $262.50, which the flag `price_unavailable` says.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.marts.baseline.methods.fixed import quoted_at_list


def value(rows: ir.Table, method: str) -> ir.Value:
    """Returns the column of GPU cost per unit by a method (`fixed`, …); null if unknown."""
    return {
        "measured": rows.measured,
        "repriced": rows.repriced,
        "fixed": rows.fixed,
        "conservative": ibis.ifelse(is_lowered(rows), rows.repriced, rows.measured),
    }[method]


def value_at_list(rows: ir.Table, method: str) -> ir.Value:
    """Returns the column of GPU cost per unit at list prices; null if unknown or `fixed`."""
    measured, repriced = rows.measured_at_list, rows.repriced_at_list
    return {
        "measured": measured,
        "repriced": repriced,
        "fixed": quoted_at_list(),
        "conservative": ibis.ifelse(repriced < measured, repriced, measured),
    }[method]


def is_lowered(rows: ir.Table) -> ir.BooleanValue:
    """Returns the condition that the repriced cost per unit is below the measured one.

    It is null where a price is missing.
    """
    return rows.repriced < rows.measured
