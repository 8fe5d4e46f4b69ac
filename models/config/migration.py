"""Config tables about the migration: `[baseline]`, workloads, investments and runs."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from typing import Literal, Self

from pydantic import Field, model_validator

from models.config.section import Money, Purpose, Section, WorkloadName

Day = date
"""The type, where a field is called `date` too."""


class Baseline(Section):
    """The table `[baseline]`: the method of the GPU baseline, and which GPU runs it uses.

    `latest` runs of a platform that ended in the `window_days` up to the newest, at least
    `min_runs`. See METHOD §5.
    """

    method: Literal["conservative", "measured", "repriced", "fixed"] = "conservative"
    min_runs: int = Field(2, ge=1, le=10_000)
    window_days: int = Field(365, ge=1, le=36_500)
    latest: int = Field(8, ge=1, le=10_000)

    @model_validator(mode="after")
    def _holds_enough_runs(self) -> Self:
        """Refuses `latest` below `min_runs`: a baseline could never have enough runs."""
        if "latest" in self.model_fields_set and self.latest < self.min_runs:
            raise ValueError(f"latest {self.latest} is below min_runs {self.min_runs}: raise it")
        return self

    @property
    def most_runs(self) -> int:
        """Returns how many of a GPU platform's runs a baseline uses at most."""
        return max(self.latest, self.min_runs)


class Quality(Section):
    """The table `[quality]`: by what fraction a final loss may exceed GPU's and still be equal.

    See METHOD §3.5.
    """

    tolerance: Money = Field(Decimal("0.01"), ge=0, lt=1)


class WorkloadEntry(Section):
    """One `[[workloads]]` table: a workload's target loss, GPU quote, unit, last day and so on.

    `ends` is the last day on which the workload is expected to be trained. `planned_epochs` is the
    work of one result, in the unit of the workload's kinds. `tokens_per_step` and
    `samples_per_step` say how much a training step of its runs is, where they do not say it.
    """

    name: WorkloadName
    target_loss: float | None = Field(None, allow_inf_nan=False)
    require_verified: bool = False
    fixed_cost_per_epoch: Money | None = Field(None, gt=0)
    ends: date | None = None
    unit: Literal["epoch", "billion_tokens", "million_samples"] | None = None
    planned_epochs: Money | None = Field(None, gt=0)
    tokens_per_step: Money | None = Field(None, gt=0)
    samples_per_step: Money | None = Field(None, gt=0)


class Investment(Section):
    """One `[[investments]]` table: a cost of the migration, money given for it, or monthly upkeep.

    Without a `workload`, it counts for the portfolio alone. `funding` is money given for the move,
    so its amount is at most 0. `until` is the last day of an upkeep. See METHOD §6.
    """

    date: date
    kind: Literal["engineering", "partner", "tooling", "dual_run", "funding", "upkeep"]
    workload: WorkloadName | None = None
    days: Money | None = Field(None, ge=0)
    day_rate: Money | None = Field(None, ge=0)
    amount: Money | None = None
    amount_per_month: Money | None = Field(None, ge=0)
    until: Day | None = None

    @model_validator(mode="after")
    def _takes_its_amounts(self) -> Self:
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

    @model_validator(mode="after")
    def _has_the_sign_of_its_kind(self) -> Self:
        """Refuses funding above 0, which would be a cost, and any other amount below 0."""
        amount, funding = self.amount or Decimal(0), self.kind == "funding"
        if funding and amount > 0:
            raise ValueError(f"funding is money given for the move: write amount = -{amount}")
        if not funding and amount < 0:
            raise ValueError(f"amount {amount} is below 0: only kind 'funding' may be")
        return self

    @model_validator(mode="after")
    def _ends_after_it_begins(self) -> Self:
        """Refuses `until` on anything but monthly upkeep, and an `until` before the first day."""
        if self.until is not None and self.kind != "upkeep":
            raise ValueError(f"until is for kind 'upkeep', not {self.kind!r}")
        if self.until is not None and self.until < self.date:
            raise ValueError(f"until {self.until} is before its date {self.date}")
        return self

    @property
    def one_time(self) -> Decimal:
        """Returns an investment's one-time dollars: funding is below 0, monthly upkeep 0."""
        if self.kind == "engineering":
            return (self.days or Decimal(0)) * (self.day_rate or Decimal(0))
        return self.amount or Decimal(0)


def refuse_upkeep_after_the_end(
    investments: Iterable[Investment], workloads: Iterable[WorkloadEntry]
) -> None:
    """Raises `ValueError` if upkeep without `until` begins after the last day of its workload.

    It would have no day to fall on and cost nothing, so savings would be too high by it.
    """
    ends = {workload.name: workload.ends for workload in workloads}
    for entry in investments:
        last = ends.get(entry.workload or "")
        if entry.kind == "upkeep" and entry.until is None and last and last < entry.date:
            raise ValueError(
                f"upkeep of {entry.workload!r} from {entry.date} begins after the workload ends "
                f"({last}), so it would cost nothing: write its until, or correct ends"
            )


class RunEntry(Section):
    """One `[[runs]]` entry: what the user declares about a run, such as recipe or purpose.

    `machines` are those of a benchmark, where the bill's hours do not show how many ran at once.
    """

    run: str
    workload: WorkloadName | None = None
    resumed_from: str | None = None
    recipe: str | None = None
    purpose: Purpose | None = None
    start_epoch: Money | None = Field(None, ge=0)
    machines: int | None = Field(None, ge=1, le=100_000)
