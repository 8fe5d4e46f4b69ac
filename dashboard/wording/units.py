"""The words of the unit in which work is counted: an epoch, a billion tokens, a million samples.

Wherever a page says what a unit costs, it says it with these; so no price of tokens is called one
of epochs.
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
    """Returns the words of a unit; of `a unit` where rows of several stand together."""
    return Unit(units.one(unit), units.plural(unit), units.per(unit))
