"""Computes how much of each month's Trainium work would have been trained before the move."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import ROUND_HALF_UP, Decimal, localcontext
from itertools import groupby
from typing import Any

from models.engine import contract_tables
from models.engine.context import BuildContext
from models.engine.warehouse.connection import fetch

Row = dict[str, Any]

READS = frozenset({"gpu_volume", "credited_daily", "baselines"})
FILLS = ("old_volume",)
MONTHS = """
WITH valued AS (
    SELECT workload, coalesce(recipe, '') AS kind, date FROM baselines WHERE value IS NOT NULL),
credited AS (
    SELECT workload, kind, strftime(date, '%Y-%m') AS month, sum(credited_epochs) AS credited_epochs
    FROM credited_daily SEMI JOIN valued USING (workload, kind, date)
    WHERE settled AND standing = 'counted' GROUP BY ALL)
SELECT gpu_volume.*, nullif(kind, '') AS recipe,
    coalesce(credited_epochs, 0)::DECIMAL(38, 9) AS credited_epochs
FROM gpu_volume LEFT JOIN credited USING (workload, kind, month)
ORDER BY workload, kind, month"""
"""A day without a baseline has no saving, so its work does not count here either."""
PLACES = Decimal("1e-9")


def fill_old_volumes(context: BuildContext) -> None:
    """Computes each kind's work at the old volume by month, and writes its table.

    A month depends on the one before it: no SQL expression says that on every engine.
    """
    contract_tables.fill(context.backend, *FILLS, list(old_volumes(fetch(context.backend, MONTHS))))


def old_volumes(months: Iterable[Row]) -> Iterator[Row]:
    """Adds `old_epochs` to each month of a kind: its work at the pace before the move."""
    for _, own in groupby(months, key=lambda row: (row["workload"], row["kind"])):
        yield from _of_a_kind(own)


def _of_a_kind(months: Iterable[Row]) -> Iterator[Row]:
    """Computes, month by month, the credited work that the old pace would have made too.

    Less what earlier months took and what was trained on GPU since. Example: 1 epoch a day leaves
    30 of 120 epochs in the first 30 days, and 31 of the next 31 days.
    """
    days, used = 0, Decimal(0)
    for row in months:
        days += row["settled_days"]
        used += row["gpu_epochs"]
        old = _old_work(row, days, used)
        used += old or 0
        yield row | {"old_epochs": old}


def _old_work(row: Row, days: int, used: Decimal) -> Decimal | None:
    if row["per_day"] is None:
        return None
    with localcontext(prec=50):
        made = row["gpu_work"] * days / row["gpu_days"]
        left = made.quantize(PLACES, ROUND_HALF_UP) - used
    credited: Decimal = row["credited_epochs"]
    least: Decimal = max(Decimal(0), min(credited, left))
    return least
