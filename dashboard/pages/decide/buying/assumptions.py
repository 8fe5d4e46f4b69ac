"""Parses which machine the reader chose, and how much of it is assumed to be used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Self

from dashboard.pages.decide.assumptions import HUNDRED, decimal_parameter, text_parameter


@dataclass(frozen=True)
class PurchaseAssumptions:
    """The reader's machine, hours a month, and per cent of commitments used."""

    machine: str = ""
    hours: Decimal | None = None
    used: Decimal | None = None

    @classmethod
    def parse(cls, query: Mapping[str, Any]) -> Self:
        """Parses the reader's machine and its assumed use from URL query parameters."""
        used = decimal_parameter(text_parameter(query.get("used")))
        return cls(
            text_parameter(query.get("machine")),
            decimal_parameter(text_parameter(query.get("hours"))),
            used if used is not None and used <= HUNDRED else None,
        )
