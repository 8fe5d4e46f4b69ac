"""The predicted month of one source, and how its dollars are written."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal

CENT = Decimal("0.01")


@dataclass(frozen=True)
class Prediction:
    """A source's month: pulls, paid requests, dollars, and what its very first pull may cost.

    Together for all `places`, the accounts and regions that one entry stands for; `pulls` are of
    each.
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
        """Adds another place of the same entry."""
        return replace(
            self,
            requests=self.requests + other.requests,
            dollars=self.dollars + other.dollars,
            first_pull=self.first_pull + other.first_pull,
            places=self.places + other.places,
        )

    def document(self) -> dict[str, object]:
        """Returns the prediction for machines, dollars as decimal text."""
        return {**vars(self), "dollars": str(self.dollars), "first_pull": str(self.first_pull)}


def paid(empty: Prediction, pages: int, price: Decimal) -> Prediction:
    """Returns the prediction with a number of pages at one price."""
    return replace(empty, requests=pages, dollars=pages * price)


def dollars(amount: Decimal) -> str:
    """Writes an amount in cents, and one below a cent to its last digit."""
    return f"{amount:.2f}" if amount >= CENT or not amount else f"{amount.normalize():f}"
