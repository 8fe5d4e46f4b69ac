"""What a page is showing, as its address says it: a link shows a colleague exactly this."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Self

PERIODS = ("week", "month")
AXES = ("dollars", "hours")

SHARE_DAYS = 90
LOSS_RUNS = 60
"""The newest runs whose loss is drawn: more lines than this cannot be told apart."""


@dataclass(frozen=True)
class View:
    """Filters; anything that the address does not say, or says wrongly, is the default."""

    start: date | None = None
    end: date | None = None
    period: str = "month"
    axis: str = "dollars"

    @classmethod
    def parse(cls, query: Mapping[str, Any] | None) -> Self:
        """From a query string's parameters, which anyone may have typed."""
        found = query or {}
        start, end = _date(found.get("from")), _date(found.get("to"))
        if start and end and start > end:
            start, end = end, start
        return cls(
            start=start,
            end=end,
            period=_one_of(found.get("period"), PERIODS, cls.period),
            axis=_one_of(found.get("axis"), AXES, cls.axis),
        )

    @property
    def first(self) -> date:
        """`start`, or a day before every day."""
        return self.start or date.min.replace(year=1900)

    @property
    def last(self) -> date:
        """`end`, or a day after every day."""
        return self.end or date.max


def _date(text: object) -> date | None:
    try:
        return date.fromisoformat(str(text)) if text else None
    except ValueError:
        return None


def _one_of(text: object, choices: tuple[str, ...], default: str) -> str:
    return str(text) if text in choices else default
