"""Rows that figures are drawn from, and how a trace is found in a figure."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from dashboard.charts import frame

D = Decimal
FIRST = date(2026, 10, 1)
LAST = FIRST + timedelta(days=1)


def days(*heights: object, unsettled: int = 0) -> list[dict[str, Any]]:
    settled = len(heights) - unsettled
    return [
        {
            "date": FIRST + timedelta(days=index),
            "settled": index < settled,
            "cumulative_net": None if height is None else D(str(height)),
        }
        for index, height in enumerate(heights)
    ]


def named(figure: frame.Figure, name: str) -> dict[str, Any]:
    return next(trace for trace in figure["data"] if trace.get("name") == name)
