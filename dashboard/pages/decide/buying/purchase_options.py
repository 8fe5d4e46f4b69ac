"""How the hours of a machine can be bought, and what each way costs beside its price.

A price is of an instance-hour that is paid. Of the paid hours of a commitment a part is `used`, and
of the cost of runs a part is `lost`: spent on days without progress or on work done again after a
restart. Price ÷ used ÷ (1 − lost) is what an hour that makes progress costs, which is what is
compared. What nobody has told or observed is unknown, and says what would tell it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from dashboard.pages.decide.assumptions import HUNDRED
from dashboard.pages.decide.buying.assumptions import PurchaseAssumptions
from dashboard.pages.decide.buying.machine import (
    BLOCK,
    ON_DEMAND,
    PAID,
    SPOT,
    YEARS,
    LostShare,
    MachineFacts,
)

HOURS_A_YEAR = Decimal(8760)
WITHIN_EC2 = "Compute"
"""The Savings Plan that covers any family of EC2, so that it outlives a move to Trainium."""


@dataclass(frozen=True)
class PurchaseOption:
    """One way to buy. Dollars per hour and month; fractions; null is unknown.

    `even`: the share of paid hours that must be used to cost no more than on demand; of Spot, the
    share of the cost that may be lost. `bound`: dollars that one instance commits to.
    """

    name: str
    price: Decimal | None
    used: Decimal | None
    lost: LostShare | None
    productive: Decimal | None
    month: Decimal | None
    even: Decimal | None = None
    bound: Decimal | None = None
    years: int = 0
    plan: str = ""
    range: tuple[Decimal, Decimal] | None = None

    @property
    def follows(self) -> bool:
        """Whether the commitment covers another family of EC2, too."""
        return self.plan.startswith(WITHIN_EC2)


def purchase_options(of: MachineFacts, asked: PurchaseAssumptions) -> list[PurchaseOption]:
    """On demand, one year, three years, Spot and Capacity Blocks, whether known or not; and what
    commitments that are on the bill cost."""
    said = None if asked.used is None else asked.used / HUNDRED
    hours = of.hours if asked.hours is None else asked.hours
    work = _times(hours, _kept(of.lost.get(False)))
    usual = of.lost.get(False)

    def way(name: str, price: Decimal | None, used: Decimal | None, **more: Any) -> PurchaseOption:  # noqa: ANN401
        lost = more.pop("lost", usual)
        each = _over(_over(price, used), _kept(lost))
        return PurchaseOption(name, price, used, lost, each, _times(each, work), **more)

    full = Decimal(1)
    plans = [_plan(of, years, said, way) for years in YEARS]
    spot = of.spot[0] if of.spot else None
    on_spot = way(SPOT, spot, full, lost=of.lost.get(True), even=_may_lose(of, spot))
    if of.spot:
        on_spot = replace(on_spot, range=of.spot[1:])
    block_used = of.used.get(BLOCK) if said is None else said
    block = way(BLOCK, of.block, block_used, even=_over(of.block, of.on_demand))
    held = way(PAID, of.paid, of.used.get("committed") if said is None else said)
    own = [replace(held, even=_over(of.paid, of.on_demand))] if of.paid else []
    return [way(ON_DEMAND, of.on_demand, full), *own, *plans, on_spot, block]


def by_cost(found: Iterable[PurchaseOption]) -> list[PurchaseOption]:
    """Those whose hour of progress is known, the cheapest first."""
    return sorted(
        (way for way in found if way.productive is not None),
        key=lambda way: way.productive or Decimal(0),
    )


def _plan(of: MachineFacts, years: int, said: Decimal | None, way: Any) -> PurchaseOption:  # noqa: ANN401
    row = of.committed.get(years)
    price = row["usd_per_hour"] if row else None
    found: PurchaseOption = way(
        f"{years} yr",
        price,
        of.usual_use if said is None else said,
        even=_over(price, of.on_demand),
        bound=_times(price, HOURS_A_YEAR * years),
        years=years,
        plan=row["plan"] if row else "",
    )
    return found


def _may_lose(of: MachineFacts, spot: Decimal | None) -> Decimal | None:
    """The share that Spot may lose until its hour of progress costs what one on demand does."""
    kept = _times(_over(spot, of.on_demand), _kept(of.lost.get(False)))
    return None if kept is None else max(1 - kept, Decimal(0))


def _kept(lost: LostShare | None) -> Decimal | None:
    return None if lost is None else 1 - lost.share


def _over(part: Decimal | None, whole: Decimal | None) -> Decimal | None:
    return part / whole if part is not None and whole else None


def _times(left: Decimal | None, right: Decimal | None) -> Decimal | None:
    return None if left is None or right is None else left * right
