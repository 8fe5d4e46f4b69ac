"""What a workload costs and saves today: where a what-if about it starts (METHOD §6).

The pace is that of the last twelve settled weeks: counterfactual, and Trainium cost with overhead,
÷ the production lineages with a day in them; of all settled days where none has one. So runs per
month × saving per run, less upkeep, is the divisor of `payback_months`. Beside it stands the mean
of all lineages so far, which `runs_to_break_even` divides by. Lineages count whether they compare
or not. No investment is unknown, not $0: METHOD claims no break-even then.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, localcontext
from typing import Any, Self

from models.contract.rules.recent_weeks import WEEKS
from models.forecast.migration import DIGITS

UNCLAIMED = ("not_comparable", "insufficient_baseline")


@dataclass(frozen=True)
class Work:
    """Epochs trained on Trainium, what they cost with overhead, and what they would cost on GPU."""

    epochs: Decimal | None
    credited: Decimal | None
    gpu: Decimal | None
    trn: Decimal | None

    @classmethod
    def read(cls, standing: Mapping[str, Any], prefix: str = "") -> Self:
        """Reads epochs, GPU and Trainium cost from columns of `paces` that begin with `prefix`."""
        names = ("epochs", "credited_epochs", "counterfactual", "trn_cost", "overhead")
        epochs, credited, gpu, cost, overhead = (standing[f"{prefix}{name}"] for name in names)
        known = cost is not None and overhead is not None
        return cls(epochs, credited, gpu, cost + overhead if known else None)


@dataclass(frozen=True)
class StartingPoint:
    """A workload's figures today, from which a what-if starts; None where unknown.

    `gpu_cost_per_run` is what the credited work of a run would have cost on GPU. `credited` is the
    share of its epochs that is credited work; where there is none, `uncredited` says why. The
    `mean_…` are of all runs so far.
    """

    gpu_cost_per_epoch: Decimal | None
    trn_cost_per_epoch: Decimal | None
    epochs_per_run: Decimal | None
    runs_per_month: Decimal | None
    porting_cost: Decimal | None
    upkeep_per_month: Decimal
    saved_so_far: Decimal | None
    credited: Decimal = Decimal(1)
    gpu_cost_per_run: Decimal | None = None
    trn_cost_per_run: Decimal | None = None
    mean_gpu_cost_per_run: Decimal | None = None
    mean_trn_cost_per_run: Decimal | None = None
    mean_upkeep_per_run: Decimal | None = None
    status: str = ""
    uncredited: str = ""


def starting_point_of(standing: Mapping[str, Any]) -> StartingPoint:
    """Builds a workload's what-if starting point from its `break_even` and `paces` rows."""
    with localcontext() as context:
        context.prec = DIGITS
        return _point(standing)


def _point(standing: Mapping[str, Any]) -> StartingPoint:
    every, recent = Decimal(standing["runs"] or 0), Decimal(standing["recent_runs"] or 0)
    whole = Work.read(standing)
    lately = Work.read(standing, "recent_") if recent else whole
    runs, barred = recent or every, standing["status"] in UNCLAIMED
    return StartingPoint(
        gpu_cost_per_epoch=None
        if barred
        else _quotient(lately.gpu, lately.credited) or standing["baseline"],
        trn_cost_per_epoch=_quotient(lately.trn, lately.epochs),
        epochs_per_run=_quotient(lately.epochs or None, runs),
        runs_per_month=recent * 52 / (12 * WEEKS) if recent else None,
        porting_cost=standing["invested"] or None,
        upkeep_per_month=standing["monthly_upkeep"] or Decimal(0),
        saved_so_far=standing["saved"],
        credited=_share(lately),
        gpu_cost_per_run=None if barred else _quotient(lately.gpu, runs),
        trn_cost_per_run=_quotient(lately.trn, runs),
        mean_gpu_cost_per_run=None if barred else _quotient(whole.gpu, every),
        mean_trn_cost_per_run=_quotient(whole.trn, every),
        mean_upkeep_per_run=_quotient(standing["upkeep_so_far"], every),
        status=standing["status"],
        uncredited=_uncredited(standing["parity"], lately) if runs and not lately.credited else "",
    )


def _share(lately: Work) -> Decimal:
    share = _quotient(lately.credited, lately.epochs)
    return Decimal(1) if share is None else share


def _uncredited(parity: str | None, lately: Work) -> str:
    """Says in words why a workload's recent runs would have cost nothing on GPU."""
    if not lately.epochs:
        return "its last runs made no progress"
    if parity == "below_parity":
        return "its runs are below parity and no saving is credited"
    return "none of its last epochs is credited"


def _quotient(part: Decimal | None, whole: Decimal | None) -> Decimal | None:
    return part / whole if part is not None and whole else None
