"""Parses what the reader of Decide assumes; what the URL leaves out comes from the data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, Self

LARGEST = Decimal(10) ** 12
HUNDRED = Decimal(100)
EFFORTS = {
    "": (None, None),
    "days": (Decimal(1), Decimal(5)),
    "weeks": (Decimal(5), Decimal(30)),
    "months": (Decimal(30), Decimal(120)),
}
"""Class of porting effort → engineering days, at least and at most."""
CHANGES = ("gpu_price", "trn_price")
"""Parameters in per cent; the only ones that may be negative."""


@dataclass(frozen=True)
class Assumptions:
    """The reader's assumptions of a what-if and of the ranking; None or empty if not entered.

    `runs` are per month. `gpu` and `trn` are dollars per run, `port` dollars, `upkeep` dollars per
    month, `rate` dollars per engineering day. `gpu_price` and `trn_price` are price changes in per
    cent, `share` is the saving in per cent of the GPU cost. `least` and `most` are engineering
    days.
    """

    workload: str = ""
    runs: Decimal | None = None
    gpu: Decimal | None = None
    trn: Decimal | None = None
    port: Decimal | None = None
    upkeep: Decimal | None = None
    gpu_price: Decimal | None = None
    trn_price: Decimal | None = None
    effort: str = ""
    least: Decimal | None = None
    most: Decimal | None = None
    rate: Decimal | None = None
    share: Decimal | None = None

    @classmethod
    def parse(cls, query: Mapping[str, Any]) -> Self:
        """Parses the reader's assumptions from URL parameters; invalid ones are ignored."""
        texts = {name: text_parameter(query.get(name)) for name in cls.__dataclass_fields__}
        workload, effort = texts.pop("workload"), texts.pop("effort")
        numbers = {name: decimal_parameter(text, name in CHANGES) for name, text in texts.items()}
        return cls(workload=workload, effort=effort if effort in EFFORTS else "", **numbers)

    @property
    def days(self) -> tuple[Decimal, Decimal] | None:
        """Returns a port's least and most engineering days, entered or by effort class; or None."""
        least, most = EFFORTS[self.effort]
        least, most = self.least or least, self.most or most
        return None if least is None or most is None else (min(least, most), max(least, most))


def text_parameter(value: object) -> str:
    """Returns a URL parameter as text: the last value if there are several, empty if none."""
    found = value[-1] if isinstance(value, list) and value else value
    return "" if found is None or isinstance(found, list) else str(found)


def decimal_parameter(text: str, signed: bool = False) -> Decimal | None:
    """Parses text as a number from 0 (from −100 if `signed`) to 10^12; None for anything else."""
    try:
        found = Decimal(text.replace(",", "").strip())
    except InvalidOperation:
        return None
    lowest = -HUNDRED if signed else Decimal(0)
    return found if found.is_finite() and lowest <= found <= LARGEST else None
