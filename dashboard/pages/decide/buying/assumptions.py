"""Parses the reader's choice of machine, hours a month, and used share of a commitment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Self

from dashboard.pages.decide.assumptions import HUNDRED, decimal_parameter, text_parameter


@dataclass(frozen=True)
class PurchaseAssumptions:
    """What the reader assumes: machine, instance-hours a month, per cent of a commitment used."""

    machine: str = ""
    hours: Decimal | None = None
    used: Decimal | None = None

    @classmethod
    def parse(cls, query: Mapping[str, Any]) -> Self:
        """Parses machine, hours a month and used % of a commitment from URL parameters."""
        used = decimal_parameter(text_parameter(query.get("used")))
        return cls(
            text_parameter(query.get("machine")),
            decimal_parameter(text_parameter(query.get("hours"))),
            used if used is not None and used <= HUNDRED else None,
        )
