"""Defines the explanation of a number: what it is, its days, basis, formula and tables."""

from __future__ import annotations

import re
from dataclasses import dataclass

LEFT_OUT = "Days that are not settled yet, credits and tax."
BASIS = (
    "The basis named below the headline: effective cost, unless configured otherwise. Credits and "
    "tax are excluded."
)
MEANINGS = {
    "effective": "Amortised commitments, net of every discount; credits and tax excluded.",
    "billed": "As the invoice has it: hours that a plan, a reservation or a Capacity Block paid "
    "for have no cost of their own; credits and tax excluded.",
    "contracted": "At negotiated prices, before the discounts of commitments; credits and tax "
    "excluded.",
    "list": "At public list prices, before every discount; credits and tax excluded.",
}
"""What each basis of cost means, by its name in the configuration. METHOD §2.1."""


@dataclass(frozen=True)
class Explanation:
    """The explanation of one number on a page: what it is, its days, basis, formula, tables."""

    title: str
    what: str
    formula: str
    window: str
    marts: tuple[str, ...]
    basis: str = BASIS
    leaves_out: str = LEFT_OUT

    @property
    def key(self) -> str:
        """Returns the key in a URL, from the title: `Net savings` becomes `net-savings`."""
        return re.sub(r"[^a-z]+", "-", self.title.lower()).strip("-")
