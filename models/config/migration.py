"""The migration: what it trains, what it cost, and what it is measured against."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Literal, Self

from pydantic import Field, model_validator

from models.config.section import Money, Purpose, Section, WorkloadName


class Baseline(Section):
    """How one GPU epoch is priced (METHOD §5)."""

    method: Literal["conservative", "measured", "repriced", "fixed"] = "conservative"
    min_runs: int = Field(2, ge=1)
    window_days: int = Field(365, ge=1)


class WorkloadEntry(Section):
    """What no feed can say about a workload."""

    name: WorkloadName
    target_loss: float | None = Field(None, allow_inf_nan=False)
    require_verified: bool = False
    fixed_cost_per_epoch: Money | None = Field(None, gt=0)


class Investment(Section):
    """One outlay of the migration; without `workload` it belongs to the portfolio."""

    date: date
    kind: Literal["engineering", "partner", "tooling", "dual_run", "upkeep"]
    workload: WorkloadName | None = None
    days: Money | None = Field(None, ge=0)
    day_rate: Money | None = Field(None, ge=0)
    amount: Money | None = Field(None, ge=0)
    amount_per_month: Money | None = Field(None, ge=0)

    @model_validator(mode="after")
    def _complete(self) -> Self:
        needed = {"engineering": {"days", "day_rate"}, "upkeep": {"amount_per_month"}}.get(
            self.kind, {"amount"}
        )
        given = {
            name
            for name in ("days", "day_rate", "amount", "amount_per_month")
            if getattr(self, name) is not None
        }
        if given != needed:
            raise ValueError(f"kind {self.kind!r} takes {' and '.join(sorted(needed))}")
        return self

    @property
    def one_time(self) -> Decimal:
        """Dollars spent on `date`; 0 for recurring upkeep."""
        if self.kind == "engineering":
            return (self.days or Decimal(0)) * (self.day_rate or Decimal(0))
        return self.amount or Decimal(0)


class RunEntry(Section):
    """What no feed can say about a run."""

    run: str
    workload: WorkloadName | None = None
    resumed_from: str | None = None
    recipe: str | None = None
    purpose: Purpose | None = None
    start_epoch: Money | None = Field(None, ge=0)
