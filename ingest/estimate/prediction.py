"""One source's predicted month, and how its dollars are written."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal

CENT = Decimal("0.01")


@dataclass(frozen=True)
class Prediction:
    """One source's month: pulls, paid requests, dollars; what the very first pull may cost.

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
        """Both together: two places of one entry."""
        return replace(
            self,
            requests=self.requests + other.requests,
            dollars=self.dollars + other.dollars,
            first_pull=self.first_pull + other.first_pull,
            places=self.places + other.places,
        )

    def document(self) -> dict[str, object]:
        """For machines: dollars as decimal text."""
        return {**vars(self), "dollars": str(self.dollars), "first_pull": str(self.first_pull)}


def paid(plain: Prediction, pages: int, price: Decimal) -> Prediction:
    return replace(plain, requests=pages, dollars=pages * price)


def dollars(amount: Decimal) -> str:
    """Cents; what is less than one to its last digit."""
    return f"{amount:.2f}" if amount >= CENT or not amount else f"{amount.normalize():f}"
