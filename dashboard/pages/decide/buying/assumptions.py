"""How the hours of a machine can be bought, and what each way costs beside its price.

A price is of an instance-hour that is paid. Of the paid hours of a commitment a part is `used`, and
of the cost of runs a part is `lost`: spent on days without progress or on work done again after a
restart. Price ÷ used ÷ (1 − lost) is what an hour that makes progress costs, which is what is
compared. What nobody has told or observed is unknown, and says what would tell it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Self

from dashboard.pages.decide.assumptions import HUNDRED, decimal_parameter, text_parameter


@dataclass(frozen=True)
class PurchaseAssumptions:
    """What the address says: `type region` of a machine, instance-hours a month, per cent used."""

    machine: str = ""
    hours: Decimal | None = None
    used: Decimal | None = None

    @classmethod
    def parse(cls, query: Mapping[str, Any]) -> Self:
        """From a query string's parameters, which anyone may have typed."""
        used = decimal_parameter(text_parameter(query.get("used")))
        return cls(
            text_parameter(query.get("machine")),
            decimal_parameter(text_parameter(query.get("hours"))),
            used if used is not None and used <= HUNDRED else None,
        )
