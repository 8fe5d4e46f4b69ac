"""How the hours of a machine can be bought, and what each way costs beside its price.

A price is of an instance-hour that is paid. Of the paid hours of a commitment a part is `used`, and
of the cost of runs a part is `lost`: spent on days without progress or on work done again after a
restart. Price ÷ used ÷ (1 − lost) is what an hour that makes progress costs, which is what is
compared. What nobody has told or observed is unknown, and says what would tell it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from typing import Any, Self

from dashboard.assumptions import HUNDRED, decimal_of, text_of
from models.forecast.starting_point import WEEKS

Row = dict[str, Any]
HOURS_A_YEAR = Decimal(8760)
YEARS = (1, 3)
ON_DEMAND, SPOT, BLOCK, PAID = "on_demand", "spot", "capacity_block", "paid"
WINDOW = timedelta(weeks=WEEKS)
WITHIN_EC2 = "Compute"
"""The Savings Plan that covers any family of EC2, so that it outlives a move to Trainium."""


@dataclass(frozen=True)
class Buying:
    """What the address says: `type region` of a machine, instance-hours a month, per cent used."""

    machine: str = ""
    hours: Decimal | None = None
    used: Decimal | None = None

    @classmethod
    def parse(cls, query: Mapping[str, Any]) -> Self:
        """From a query string's parameters, which anyone may have typed."""
        used = decimal_of(text_of(query.get("used")))
        return cls(
            text_of(query.get("machine")),
            decimal_of(text_of(query.get("hours"))),
            used if used is not None and used <= HUNDRED else None,
        )


@dataclass(frozen=True)
class Lost:
    """Of runs that were bought alike: how many there are, their restarts, and the share lost."""

    runs: int
    restarts: int
    share: Decimal
    own: bool


@dataclass(frozen=True)
class Known:
    """What the snapshot knows of a machine. Dollars per instance-hour; fractions.

    `used`: what was used of the commitments, and of the Capacity Blocks, that the bill has.
    `paid`: what an hour under the commitments on the bill came to lately.
    `at_most`: one instance of the machine, committed, would have been used no more than this.
    """

    on_demand: Decimal | None
    spot: tuple[Decimal, Decimal, Decimal] | None
    block: Decimal | None
    committed: Mapping[int, Row]
    used: Mapping[str, Decimal]
    at_most: Decimal | None
    lost: Mapping[bool, Lost]
    hours: Decimal | None
    paid: Decimal | None = None

    @property
    def usual_use(self) -> Decimal | None:
        """Of the commitments on the bill; without any, the most that one would have been used."""
        return self.used.get("committed", self.at_most)


NOTHING = Known(None, None, None, {}, {}, None, {}, None)
"""Of a machine that nobody knows."""


@dataclass(frozen=True)
class Way:
    """One way to buy. Dollars per hour and month; fractions; null is unknown.

    `even`: the share of paid hours that must be used to cost no more than on demand; of Spot, the
    share of the cost that may be lost. `bound`: dollars that one instance commits to.
    """

    name: str
    price: Decimal | None
    used: Decimal | None
    lost: Lost | None
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


def known(
    prices: Sequence[Row],
    rates: Sequence[Row],
    used: Iterable[Row],
    at_most: Decimal | None,
    lost: Sequence[Row],
    hours: Decimal | None,
    as_of: date,
    paid: Decimal | None = None,
) -> Known:
    """From the rows that tell it."""
    spot = _steps(prices, SPOT)
    return Known(
        on_demand=_standing(_steps(prices, ON_DEMAND), as_of),
        spot=_mean(spot, as_of),
        block=_standing(_steps(prices, BLOCK), as_of),
        committed={
            years: min(of, key=lambda row: row["usd_per_hour"])
            for years in YEARS
            if (of := [row for row in rates if row["years"] == years])
        },
        used={
            row["purchase_option"]: row["used"] / (row["used"] + row["idle"])
            for row in used
            if row["used"] + row["idle"] > 0
        },
        at_most=at_most,
        lost=_losses(lost),
        hours=hours,
        paid=paid,
    )


def ways(of: Known, asked: Buying) -> list[Way]:
    """On demand, one year, three years, Spot and Capacity Blocks, whether known or not; and what
    commitments that are on the bill cost."""
    said = None if asked.used is None else asked.used / HUNDRED
    hours = of.hours if asked.hours is None else asked.hours
    work = _times(hours, _kept(of.lost.get(False)))
    usual = of.lost.get(False)

    def way(name: str, price: Decimal | None, used: Decimal | None, **more: Any) -> Way:  # noqa: ANN401
        lost = more.pop("lost", usual)
        each = _over(_over(price, used), _kept(lost))
        return Way(name, price, used, lost, each, _times(each, work), **more)

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


def cheapest(found: Iterable[Way]) -> list[Way]:
    """Those whose hour of progress is known, the cheapest first."""
    return sorted(
        (way for way in found if way.productive is not None),
        key=lambda way: way.productive or Decimal(0),
    )


def _plan(of: Known, years: int, said: Decimal | None, way: Any) -> Way:  # noqa: ANN401
    row = of.committed.get(years)
    price = row["usd_per_hour"] if row else None
    found: Way = way(
        f"{years} yr",
        price,
        of.usual_use if said is None else said,
        even=_over(price, of.on_demand),
        bound=_times(price, HOURS_A_YEAR * years),
        years=years,
        plan=row["plan"] if row else "",
    )
    return found


def _may_lose(of: Known, spot: Decimal | None) -> Decimal | None:
    """The share that Spot may lose until its hour of progress costs what one on demand does."""
    kept = _times(_over(spot, of.on_demand), _kept(of.lost.get(False)))
    return None if kept is None else max(1 - kept, Decimal(0))


def _losses(rows: Sequence[Row]) -> dict[bool, Lost]:
    """By whether bought as Spot: the workload's own runs where it has any, else everybody's."""
    found: dict[bool, Lost] = {}
    for spot in (False, True):
        of = [row for row in rows if row["spot"] == spot]
        own = [row for row in of if row["own"]] or of
        cost = sum((row["cost"] for row in own), Decimal(0))
        if cost:
            lost = sum((row["lost"] for row in own), Decimal(0))
            runs = sum(row["runs"] for row in own)
            restarts = runs - sum(row["lineages"] for row in own)
            found[spot] = Lost(runs, restarts, lost / cost, bool(own[0]["own"]))
    return found


def _steps(prices: Iterable[Row], option: str) -> list[Row]:
    return [row for row in prices if row["purchase_option"] == option]


def _standing(steps: Iterable[Row], day: date) -> Decimal | None:
    """The price that holds on a day."""
    holding = [
        row for row in steps if row["since"] <= day and (row["until"] is None or row["until"] > day)
    ]
    newest = max(holding, key=lambda row: row["since"], default=None)
    return newest["usd_per_hour"] if newest else None


def _mean(steps: Sequence[Row], day: date) -> tuple[Decimal, Decimal, Decimal] | None:
    """Of the last twelve weeks, by the time that each price held: mean, lowest, highest."""
    if _standing(steps, day) is None:
        return None
    first, last = day - WINDOW + timedelta(days=1), day + timedelta(days=1)
    held = [
        (row["usd_per_hour"], (min(row["until"] or last, last) - max(row["since"], first)).days)
        for row in steps
    ]
    held = [(price, days) for price, days in held if days > 0]
    days = sum(size for _, size in held)
    mean = sum((price * size for price, size in held), Decimal(0)) / days
    return mean, min(price for price, _ in held), max(price for price, _ in held)


def _kept(lost: Lost | None) -> Decimal | None:
    return None if lost is None else 1 - lost.share


def _over(part: Decimal | None, whole: Decimal | None) -> Decimal | None:
    return part / whole if part is not None and whole else None


def _times(left: Decimal | None, right: Decimal | None) -> Decimal | None:
    return None if left is None or right is None else left * right
