"""Defines the predicted cost of one source in a month, and formats its dollars."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal

CENT = Decimal("0.01")


@dataclass(frozen=True)
class Prediction:
    """A source's predicted month: pulls, paid requests, dollars, and cost of its first pull.

    Requests and dollars are those of all `places` together, the accounts and regions that one entry
    stands for; `pulls` is the number for each of them.
    """

    source: str
    kind: str
    schedule: str
    pulls: int
    requests: int
    dollars: Decimal
    first_pull: Decimal = Decimal(0)
    places: int = 1

    def plus(self, other: Prediction) -> Prediction:
        """Returns the sum of two predictions of one `[[sources]]` entry, as for two accounts."""
        return replace(
            self,
            requests=self.requests + other.requests,
            dollars=self.dollars + other.dollars,
            first_pull=self.first_pull + other.first_pull,
            places=self.places + other.places,
        )

    def document(self) -> dict[str, object]:
        """Returns a source's predicted month as a JSON-ready dict, dollars as decimal text."""
        return {**vars(self), "dollars": str(self.dollars), "first_pull": str(self.first_pull)}


def paid(empty: Prediction, pages: int, price: Decimal) -> Prediction:
    """Returns a prediction whose requests are a number of pages, each at the same price."""
    return replace(empty, requests=pages, dollars=pages * price)


def dollars(amount: Decimal) -> str:
    """Formats dollars with two decimals; amounts below a cent with all their digits."""
    return f"{amount:.2f}" if amount >= CENT or not amount else f"{amount.normalize():f}"
