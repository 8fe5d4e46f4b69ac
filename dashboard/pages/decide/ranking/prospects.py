"""Estimates what moving a GPU workload would save, from what moved workloads have saved.

A share is net saving ÷ counterfactual of a moved workload. The range of shares and the range of the
porting effort make the interval; where either is unknown there is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from statistics import median
from typing import Any

from dashboard.pages.decide.assumptions import HUNDRED, Assumptions
from models.contract.rules.recent_window import WEEKS
from models.forecast.migration import Migration, product
from models.forecast.starting_point import StartingPoint
from models.forecast.what_if import what_if

Row = dict[str, Any]
Range = tuple[Decimal, Decimal, Decimal]
"""Lowest, expected and highest value."""


ENDS_FIRST = "training ends before it pays for itself"
SAVES_NOTHING = "at this share it saves nothing"
ALL_UPKEEP = "upkeep takes all that it saves"
NEVER = (ENDS_FIRST, SAVES_NOTHING, ALL_UPKEEP)
"""Reasons of a payback that is known never to come; all others leave it unknown."""


@dataclass(frozen=True)
class Prospect:
    """The expected saving, porting cost and payback of moving one workload; None is unknown.

    A payback that never comes is None as well; `reason` distinguishes it from an unknown one.
    """

    workload: str
    status: str
    gpu_per_month: Decimal | None
    saving: Range | None
    porting: Range | None
    payback: tuple[Decimal | None, Decimal | None, Decimal | None]
    reason: str


def saving_share(rows: Sequence[Row], asked: Assumptions) -> Range | None:
    """Returns lowest, median and highest saving of moves as a share of GPU cost; None if unknown.

    As the reader entered it, else as seen of the workloads that have moved.
    """
    if asked.share is not None:
        share = asked.share / HUNDRED
        return share, share, share
    found = [row["saved"] / row["counterfactual"] for row in rows]
    return (min(found), median(found), max(found)) if found else None


def unmoved_point(row: Row, saved: Range | None) -> StartingPoint:
    """Returns the figures that a what-if starts from, for a GPU workload that has not moved."""
    gpu = row["gpu_cost_per_epoch"]
    return StartingPoint(
        gpu_cost_per_epoch=gpu,
        trn_cost_per_epoch=gpu * (1 - saved[1]) if gpu is not None and saved else None,
        epochs_per_run=row["epochs"] / row["lineages"]
        if row["lineages"] and row["epochs"]
        else None,
        runs_per_month=Decimal(row["recent"]) * 52 / (12 * WEEKS) if row["recent"] else None,
        porting_cost=(row["invested"] or Decimal(0)) + row["planned"] or None,
        upkeep_per_month=row["upkeep"],
        saved_so_far=Decimal(0),
        planned_port=row["planned"],
        months_to_end=row["months_to_end"],
    )


def porting_cost(row: Row, asked: Assumptions, rate: Decimal | None) -> Range | None:
    """Returns a port's cost as a range, days × rate, at least what is spent; None if unknown.

    Where days or rate are unknown, it is what is spent and what the config plans. If nothing is
    planned, the cost so far says nothing of the whole cost.
    """
    spent = row["invested"] or Decimal(0)
    if asked.days is None or rate is None:
        declared = spent + row["planned"]
        return (declared, declared, declared) if row["planned"] else None
    low, high = (max(days * rate, spent) for days in asked.days)
    return low, (low + high) / 2, high


def prospects(
    rows: Sequence[Row], saved: Range | None, asked: Assumptions, rate: Decimal | None
) -> list[Prospect]:
    """Ranks GPU workloads by expected payback; those without one follow by saving per month."""
    found = [_prospect(row, saved, porting_cost(row, asked, rate)) for row in rows]
    return sorted(found, key=_order)


def _order(one: Prospect) -> tuple[bool, Decimal, Decimal, str]:
    expected = one.payback[1]
    saving = one.saving[1] if one.saving else one.gpu_per_month
    return expected is None, expected or Decimal(0), -(saving or Decimal(0)), one.workload


def _prospect(row: Row, saved: Range | None, cost: Range | None) -> Prospect:
    point = unmoved_point(row, saved)
    month = product(product(point.gpu_cost_per_epoch, point.epochs_per_run), point.runs_per_month)
    saving = (month * saved[0], month * saved[1], month * saved[2]) if month and saved else None
    back: tuple[Decimal | None, Decimal | None, Decimal | None] = (None, None, None)
    if month and saving and cost:
        back = (
            _payback(month, saving[2], cost[0], point),
            _payback(month, saving[1], cost[1], point),
            _payback(month, saving[0], cost[2], point),
        )
    reason = _reason(row, point, saved, cost, saving)
    if not reason and back[1] is None:
        reason = ENDS_FIRST
    return Prospect(row["workload"], row["status"], month, saving, cost, back, reason)


def _payback(gpu: Decimal, saving: Decimal, cost: Decimal, point: StartingPoint) -> Decimal | None:
    """Returns the months until a move pays for itself, as in the what-if.

    It is None if it never does, or if training ends before.
    """
    asked = Migration(
        gpu,
        gpu - saving,
        Decimal(1),
        cost,
        upkeep_per_month=point.upkeep_per_month,
        months_to_end=point.months_to_end,
    )
    found = what_if(asked)
    return None if found.ends_first else found.payback_months


def _reason(
    row: Row,
    point: StartingPoint,
    saved: Range | None,
    cost: Range | None,
    saving: Range | None,
) -> str:
    """Says why a payback is unknown, or that nothing is saved after upkeep; else empty."""
    if point.gpu_cost_per_epoch is None:
        return str(row["baseline_reason"] or "what its work costs on GPU is unknown")
    if point.epochs_per_run is None:
        return "no GPU run has progress"
    if point.runs_per_month is None:
        return f"no GPU run started in the last {WEEKS} settled weeks"
    if saved is None:
        return "no workload here has moved, so what one saves is unknown"
    if cost is None:
        return "what the port costs is unknown: choose an effort and a day rate"
    if saving and saving[1] <= 0:
        return SAVES_NOTHING
    return ALL_UPKEEP if saving and saving[1] <= point.upkeep_per_month else ""
