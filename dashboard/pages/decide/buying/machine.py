"""Computes a machine's prices, use and losses from rows of the snapshot.

Of the cost of runs a part is `lost`: spent on days without progress, or on epochs that were trained
again after a restart. METHOD §4.3 defines both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from models.contract.rules.recent_window import WEEKS

Row = dict[str, Any]
YEARS = (1, 3)
ON_DEMAND, SPOT, BLOCK, PAID = "on_demand", "spot", "capacity_block", "paid"
WINDOW = timedelta(weeks=WEEKS)


@dataclass(frozen=True)
class LostShare:
    """The share of runs' cost lost to idle and repeated work, and how many runs it is from.

    `own` is true where it was measured on the workload's own runs, and false where on all runs of
    that hardware.
    """

    runs: int
    restarts: int
    share: Decimal
    own: bool


@dataclass(frozen=True)
class MachineFacts:
    """A machine's prices in dollars per instance-hour, hours a month, and shares used and lost.

    `used` is the used share of the commitments, and of the Capacity Blocks, that are on the bill.
    `paid` is the recent cost of an hour under those commitments, and `held` says that there may be
    some. `at_most` is the largest share that could have been used of a commitment for one instance.
    `whole` is false for a reader of some workloads, who sees no committed rates.
    """

    on_demand: Decimal | None
    spot: tuple[Decimal, Decimal, Decimal] | None
    block: Decimal | None
    committed: Mapping[int, Row]
    used: Mapping[str, Decimal]
    at_most: Decimal | None
    lost: Mapping[bool, LostShare]
    hours: Decimal | None
    paid: Decimal | None = None
    held: bool = False
    whole: bool = True

    @property
    def usual_use(self) -> Decimal | None:
        """Returns the used share of billed commitments, else the most a new one would reach."""
        return self.used.get("committed", self.at_most)


NO_FACTS = MachineFacts(None, None, None, {}, {}, None, {}, None)
"""The facts of an unknown machine."""


def machine_facts(
    prices: Sequence[Row],
    rates: Sequence[Row],
    used: Iterable[Row],
    at_most: Decimal | None,
    lost: Sequence[Row],
    hours: Decimal | None,
    as_of: date,
    paid: Decimal | None = None,
    *,
    held: bool = False,
    whole: bool = True,
) -> MachineFacts:
    """Computes a machine's prices, use and losses from rows of the snapshot."""
    spot = prices_of(prices, SPOT)
    return MachineFacts(
        on_demand=_price_on(prices_of(prices, ON_DEMAND), as_of),
        spot=_mean(spot, as_of),
        block=_price_on(prices_of(prices, BLOCK), as_of),
        committed={
            years: min(of, key=lambda row: row["usd_per_hour"])
            for years in YEARS
            if (of := [row for row in rates if row["years"] == years])
        },
        used={
            row["purchase_option"]: row["used"] / (row["used"] + row["idle"])
            for row in used
            if None not in (row["used"], row["idle"]) and row["used"] + row["idle"] > 0
        },
        at_most=at_most,
        lost=_losses(lost),
        hours=hours,
        paid=paid,
        held=held or not whole,
        whole=whole,
    )


def _losses(rows: Sequence[Row]) -> dict[bool, LostShare]:
    """Maps whether on Spot to the lost share of runs' cost: of the workload's runs, else of all."""
    found: dict[bool, LostShare] = {}
    for spot in (False, True):
        of = [row for row in rows if row["spot"] == spot]
        own = [row for row in of if row["own"]] or of
        cost = sum((row["cost"] for row in own), Decimal(0))
        if cost:
            lost = sum((row["lost"] for row in own), Decimal(0))
            runs = sum(row["runs"] for row in own)
            restarts = runs - sum(row["lineages"] for row in own)
            found[spot] = LostShare(runs, restarts, lost / cost, bool(own[0]["own"]))
    return found


def prices_of(prices: Iterable[Row], option: str) -> list[Row]:
    """Returns the price rows of one purchase option."""
    return [row for row in prices if row["purchase_option"] == option]


def _price_on(steps: Iterable[Row], day: date) -> Decimal | None:
    """Returns a machine's price per hour that is valid on a day; None if none is."""
    holding = [
        row for row in steps if row["since"] <= day and (row["until"] is None or row["until"] > day)
    ]
    newest = max(holding, key=lambda row: row["since"], default=None)
    return newest["usd_per_hour"] if newest else None


def _mean(steps: Sequence[Row], day: date) -> tuple[Decimal, Decimal, Decimal] | None:
    """Returns mean (by time), lowest and highest price of 12 weeks; None without a price now."""
    if _price_on(steps, day) is None:
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
