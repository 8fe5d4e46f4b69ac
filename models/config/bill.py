"""Config tables about the bill: `[cost]`, `[[capacity_blocks]]` and `[[invoices]]`."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from models.config.refusals.text_form import MONTH
from models.config.section import Instant, Money, Section


class Cost(Section):
    """The table `[cost]`: bill source, cost basis, days until costs are final, daily API budget.

    `api_budget_usd_per_day` caps what paid AWS requests may cost on a UTC day.
    """

    source: str = "focus"
    basis: Literal["effective", "list", "contracted", "billed"] = "effective"
    settle_days: int = Field(3, ge=0, le=60)
    api_budget_usd_per_day: Money = Field(Decimal("1.00"), ge=0)


class CapacityBlock(Section):
    """One `[[capacity_blocks]]` table: a Capacity Block's instances, start, end and fee in dollars.

    `region`, `account` and `reservation` are needed only to tell apart two blocks of one instance
    type. See METHOD §2.7.
    """

    instance_type: str
    instances: int = Field(ge=1, le=100_000)
    start: Instant
    end: Instant
    fee: Money = Field(ge=0)
    region: str | None = None
    account: str | None = None
    reservation: str | None = None

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.end <= self.start:
            raise ValueError(f"end {self.end.isoformat()} is not after start")
        return self


class Invoice(Section):
    """One `[[invoices]]` table: what AWS invoiced an account for a month, to check the bill by."""

    account: str
    month: Annotated[str, MONTH]
    amount: Money
