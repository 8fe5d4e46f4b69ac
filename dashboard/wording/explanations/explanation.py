"""Defines the explanation of a number: what it is, its days, basis, formula and tables."""

from __future__ import annotations

import re
from dataclasses import dataclass

LEFT_OUT = "Days that are not settled yet, credits and tax."
BASIS = "Effective cost: amortised commitments, net of every discount; credits and tax excluded."


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
