"""Reads on-demand list prices from the product's `prices.csv`, for the simulated bill."""

import csv
from bisect import bisect_right
from collections import defaultdict
from datetime import date
from decimal import Decimal
from functools import cache
from pathlib import Path

SEED = Path(__file__).parents[2] / "prices.csv"
OUTSIDE_SEED = {"m5.24xlarge": Decimal("4.608")}
"""On-demand us-east-1; the seed holds accelerators only."""

History = list[tuple[date, Decimal]]


@cache
def on_demand() -> dict[tuple[str, str], History]:
    """Maps (instance type, region) to on-demand prices with the day from which each is in force."""
    found: defaultdict[tuple[str, str], dict[date, Decimal]] = defaultdict(dict)
    with SEED.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["purchase_option"] == "on_demand":
                since = date.fromisoformat(row["effective_from"])
                key = (row["instance_type"], row["region"])
                found[key][since] = Decimal(row["usd_per_hour"])
    return {key: sorted(prices.items()) for key, prices in found.items()}


def list_price(instance_type: str, region: str, day: date) -> Decimal | None:
    """Returns the on-demand price in dollars per hour on a day; None if not yet known."""
    if instance_type in OUTSIDE_SEED:
        return OUTSIDE_SEED[instance_type]
    history = on_demand()[instance_type, region]
    known = bisect_right(history, day, key=lambda entry: entry[0])
    return history[known - 1][1] if known else None


def charged_price(instance_type: str, region: str, day: date) -> Decimal:
    """Returns the price charged by the simulated bill: list price, or the first known later."""
    known = list_price(instance_type, region, day)
    return on_demand()[instance_type, region][0][1] if known is None else known
