"""Marks the days on which the price of a GPU machine changed in the chart of cost per unit."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from operator import itemgetter
from typing import Any

from dashboard.charts import frame
from dashboard.charts.escaping import escaped
from dashboard.wording.format import cents, day, percent, signed

Rows = Sequence[dict[str, Any]]
MARKED = Decimal("0.005")
"""The least change of a price that is marked: less would be called 0 %."""
BOUGHT = {"on_demand": "price", "capacity_block": "Capacity Blocks", "spot": "Spot"}
"""Whose price changed: without a word more, it is what an hour on demand costs."""
LINE = 16
"""Height of a line of a note in pixels."""


def price_marks(changes: Rows, first: date, last: date) -> dict[str, Any]:
    """Returns lines and notes for price changes of 0.5 % or more between two days, inclusive.

    Changes of a day share one note. Each note is below the one before, as they may lie side by
    side.
    """
    by_day: dict[date, list[dict[str, Any]]] = {}
    for row in sorted(changes, key=itemgetter("effective_from")):
        if first <= row["effective_from"] <= last and abs(_change(row)) >= MARKED:
            by_day.setdefault(row["effective_from"], []).append(row)
    notes, above = [], 0
    for when, rows in by_day.items():
        notes.append(_note(when, rows, above, late=when - first > last - when))
        above += len(rows)
    return {"shapes": [frame.vertical(when) for when in by_day], "annotations": notes}


def _note(when: date, rows: Rows, above: int, *, late: bool) -> dict[str, Any]:
    """Returns the note on a day's price changes, left or right of its line, some rows down."""
    side = "right" if late else "left"
    return {
        "x": when.isoformat(),
        "y": 1,
        "yref": "paper",
        "yanchor": "top",
        "yshift": -LINE * above,
        "xanchor": side,
        "xshift": -5 if late else 5,
        "align": side,
        "showarrow": False,
        "text": "<br>".join(_change_in_words(row) for row in rows),
        "hovertext": "<br>".join(_price_in_words(row) for row in rows),
        "font": {"size": 11},
        "bgcolor": "white",
    }


def _change_in_words(row: dict[str, Any]) -> str:
    change = signed(percent(_change(row)), _change(row))
    bought = BOUGHT.get(row["purchase_option"], row["purchase_option"])
    return f"{escaped(str(row['instance_type']))} {escaped(bought)} {change}"


def _price_in_words(row: dict[str, Any]) -> str:
    kind, price = escaped(str(row["instance_type"])), cents(row["usd_per_hour"])
    return f"{day(row['effective_from'])}: {kind} ${price} an hour"


def _change(row: dict[str, Any]) -> Decimal:
    change: Decimal = row["usd_per_hour"] / row["previous_usd_per_hour"] - 1
    return change
