"""Common parts of all config tables: unknown keys refused, exact amounts, UTC times."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Annotated, Literal, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from models.contract.portfolio import PORTFOLIO

Money = Annotated[Decimal, Field(max_digits=18, decimal_places=9)]


def _utc(value: datetime) -> datetime:
    """Reads a time without a zone as UTC, and converts one with a zone to UTC."""
    return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def _not_the_portfolio(name: str) -> str:
    if name == PORTFOLIO:
        raise ValueError("all workloads together are called so: choose another name")
    return name


WorkloadName = Annotated[str, AfterValidator(_not_the_portfolio)]
Purpose = Literal["production", "baseline", "validation", "port", "benchmark"]
PURPOSES: tuple[str, ...] = get_args(Purpose)
"""What a run may be for (METHOD §5, §6)."""
Instant = Annotated[datetime, AfterValidator(_utc)]


class Section(BaseModel):
    """Base class of the config's tables: frozen, and with unknown keys refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)
