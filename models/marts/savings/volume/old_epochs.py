"""Computes how much of a month's Trainium work the old GPU pace would have done (METHOD §6.9).

`old(m) = max(0, min(credited(m), pace before the move × settled days since the cutover − what
earlier months took − what was trained on GPU since))`. A month depends on the one before it, which
no SQL expression says on every engine, so it is computed in Python.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import ROUND_HALF_UP, Decimal, localcontext
from itertools import groupby
from typing import Any

Row = dict[str, Any]

PLACES = Decimal("1e-9")


def old_volumes(months: Iterable[Row]) -> Iterator[Row]:
    """Adds to monthly rows `old_epochs`, the work that the pace before the move would have made."""
    for _, own in groupby(months, key=lambda row: (row["workload"], row["kind"])):
        yield from _of_a_kind(own)


def _of_a_kind(months: Iterable[Row]) -> Iterator[Row]:
    """Yields a recipe's monthly rows with the credited work that the old pace would have made too.

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
