"""Compares the ways to buy a machine's hours by the cost of a productive hour.

A price is of a paid instance-hour. Of the paid hours of a commitment only a part is `used`, and of
the cost of runs a part is `lost` to time without progress and repeated work. A productive hour,
which is one that makes progress, costs price ÷ used ÷ (1 − lost): $10 with 80 % used and 5 % lost
cost $13.16.
An unknown figure is None, and the page says how to get it.
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
from models.forecast.migration import product, quotient

HOURS_A_YEAR = Decimal(8760)
WITHIN_EC2 = "Compute"
"""Start of the name of Savings Plans that cover any EC2 family, Trainium included."""


@dataclass(frozen=True)
class PurchaseOption:
    """The price of one way to buy a machine's hours, and its cost per productive hour.

    `even` is the share of paid hours that must be used to cost no more than on demand; for Spot,
    the share of the cost that may be lost. `bound` is the dollars that a commitment for one
    instance binds.
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
        """Whether the commitment also covers other EC2 families, so that it survives a move."""
        return self.plan.startswith(WITHIN_EC2)


def purchase_options(of: MachineFacts, asked: PurchaseAssumptions) -> list[PurchaseOption]:
    """Prices each way to buy a machine's hours: on demand, commitments, Spot, Capacity Block."""
    assumed_use = None if asked.used is None else asked.used / HUNDRED
    hours = of.hours if asked.hours is None else asked.hours
    work = product(hours, _not_lost(of.lost.get(False)))
    usual = of.lost.get(False)

    def way(name: str, price: Decimal | None, used: Decimal | None, **more: Any) -> PurchaseOption:  # noqa: ANN401
        lost = more.pop("lost", usual)
        each = quotient(quotient(price, used), _not_lost(lost))
        return PurchaseOption(name, price, used, lost, each, product(each, work), **more)

    full = Decimal(1)
    plans = [_plan(of, years, assumed_use, way) for years in YEARS]
    spot = of.spot[0] if of.spot else None
    on_spot = way(SPOT, spot, full, lost=of.lost.get(True), even=_may_lose(of, spot))
    if of.spot:
        on_spot = replace(on_spot, range=of.spot[1:])
    block_used = of.used.get(BLOCK) if assumed_use is None else assumed_use
    block = way(BLOCK, of.block, block_used, even=quotient(of.block, of.on_demand))
    held = way(PAID, of.paid, of.used.get("committed") if assumed_use is None else assumed_use)
    own = [replace(held, even=quotient(of.paid, of.on_demand))] if of.paid else []
    return [way(ON_DEMAND, of.on_demand, full), *own, *plans, on_spot, block]


def by_cost(found: Iterable[PurchaseOption]) -> list[PurchaseOption]:
    """Returns the ways to buy hours that have a cost per productive hour, the cheapest first."""
    return sorted(
        (way for way in found if way.productive is not None),
        key=lambda way: way.productive or Decimal(0),
    )


def _plan(of: MachineFacts, years: int, assumed_use: Decimal | None, way: Any) -> PurchaseOption:  # noqa: ANN401
    row = of.committed.get(years)
    price = row["usd_per_hour"] if row else None
    found: PurchaseOption = way(
        f"{years} yr",
        price,
        of.usual_use if assumed_use is None else assumed_use,
        even=quotient(price, of.on_demand),
        bound=product(price, HOURS_A_YEAR * years),
        years=years,
        plan=row["plan"] if row else "",
    )
    return found


def _may_lose(of: MachineFacts, spot: Decimal | None) -> Decimal | None:
    """Returns the share of Spot work that may be lost before on demand is cheaper; or None."""
    productive_hour = product(quotient(spot, of.on_demand), _not_lost(of.lost.get(False)))
    return None if productive_hour is None else max(1 - productive_hour, Decimal(0))


def _not_lost(lost: LostShare | None) -> Decimal | None:
    return None if lost is None else 1 - lost.share
