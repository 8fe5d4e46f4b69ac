"""Defines the assumptions of a what-if, and exact arithmetic on amounts that may be unknown."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from models.contract.rules.not_moved_yet import NOT_MOVED_YET
from models.forecast.horizon import MONTHS

DIGITS = 60
"""Digits that are computed with."""
PLACES = Decimal("0.000000001")
"""Nine places, to which results are rounded once at the end (METHOD §2.3)."""


@dataclass(frozen=True)
class Migration:
    """The assumptions of a what-if: costs in dollars, pace and fractions; None where unknown.

    Costs are what a run costs today. A price change (-0.33 is a third cheaper) and a discount (0.1
    is a tenth off, on top of discounts already in today's cost) are applied to them. `porting_cost`
    is paid once, `upkeep_per_month` every month, `saved_so_far` is what earlier runs saved net.

    Costs per epoch are used where a run's epochs are unknown: they are named in the reason.
    `status` is that of `break_even`; `uncredited` is the reason why a run's work would have cost
    nothing on GPU. `covered_share` is the part of the workload's Trainium spend that has a GPU cost
    to compare with (METHOD §6.10), and `net_at_old_volume` its cumulative net at the volume trained
    before the move (METHOD §6.9). `months_to_end` counts the months until it `ends`, after which
    nothing is saved and no upkeep is paid; None where no end is configured.
    """

    gpu_cost_per_run: Decimal | None
    trn_cost_per_run: Decimal | None
    runs_per_month: Decimal | None = None
    porting_cost: Decimal | None = Decimal(0)
    upkeep_per_month: Decimal = Decimal(0)
    saved_so_far: Decimal | None = Decimal(0)
    gpu_price_change: Decimal = Decimal(0)
    trn_price_change: Decimal = Decimal(0)
    gpu_discount: Decimal = Decimal(0)
    trn_discount: Decimal = Decimal(0)
    months: int = MONTHS
    gpu_cost_per_epoch: Decimal | None = None
    trn_cost_per_epoch: Decimal | None = None
    status: str = ""
    uncredited: str = ""
    covered_share: Decimal | None = None
    net_at_old_volume: Decimal | None = None
    months_to_end: Decimal | None = None


def months_saved(asked: Migration, months: Decimal) -> Decimal:
    """Returns how many of the coming months are before the end of training."""
    return months if asked.months_to_end is None else min(months, asked.months_to_end)


def product(amount: Decimal | None, count: Decimal | None) -> Decimal | None:
    """Multiplies two decimals; None where either is unknown."""
    return None if amount is None or count is None else amount * count


def difference(left: Decimal | None, right: Decimal | None) -> Decimal | None:
    """Subtracts two decimals; None where either is unknown."""
    return None if left is None or right is None else left - right


def quotient(part: Decimal | None, whole: Decimal | None) -> Decimal | None:
    """Divides two decimals; None where either is unknown, or the divisor is 0."""
    return part / whole if part is not None and whole else None


def remaining(asked: Migration) -> Decimal | None:
    """Returns the dollars of a move not yet paid back, at least 0; None where unknown.

    None, too, where a move was funded beyond its cost: METHOD §6 claims no break-even then.
    """
    if asked.porting_cost is None or asked.saved_so_far is None or funded_beyond(asked):
        return None
    return max(asked.porting_cost - asked.saved_so_far, Decimal(0))


def funded_beyond(asked: Migration) -> Decimal | None:
    """Returns by how many dollars a move that was made is funded beyond its cost; else None."""
    made = asked.status and asked.status not in NOT_MOVED_YET
    cost = asked.porting_cost
    return -cost if made and cost is not None and cost < 0 else None


def ahead_of_cost(asked: Migration) -> Decimal | None:
    """Returns savings so far less porting cost; None if below 0, unknown or nothing is saved."""
    if asked.porting_cost is None or not asked.saved_so_far or asked.saved_so_far < 0:
        return None
    above = asked.saved_so_far - asked.porting_cost
    return above if above >= 0 else None
