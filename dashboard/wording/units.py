"""Names the unit in which work is counted: an epoch, a billion tokens, a million samples.

Every page uses these names for the price of a unit, so that no price of tokens is called a price of
epochs.
"""

from __future__ import annotations

from typing import NamedTuple

from models.contract import units


class Unit(NamedTuple):
    """A unit in words: `an epoch`, `epochs`, `per epoch`, and as a heading `$ per epoch`."""

    one: str
    many: str
    per: str

    @property
    def price(self) -> str:
        """Returns the heading of a column of prices: `$ per billion tokens`."""
        return f"$ {self.per}"


def words(unit: str | None) -> Unit:
    """Returns a unit of work in words: one, many and per; those of `a unit` for None (several)."""
    return Unit(units.one(unit), units.plural(unit), units.per(unit))
