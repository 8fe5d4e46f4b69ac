"""The interface of a format: the names that every format module defines."""

from __future__ import annotations

from typing import Literal, Protocol

import ibis
import ibis.expr.types as ir

from models.config.tags import Tags


class Format(Protocol):
    """A module that reads the lines of one delivered format."""

    @property
    def NAME(self) -> str:  # noqa: N802 - a constant of the module
        """The format's name in the marker of a delivery."""

    @property
    def VIEW(self) -> Literal["charges", "progress", "prices", "capacity", "jobs", "utilisation"]:  # noqa: N802
        """The table that its rows belong to."""

    @property
    def REQUIRED(self) -> tuple[str, ...]:  # noqa: N802
        """The columns without which a delivery is refused."""

    def rows(self, lines: ir.Table, tags: Tags) -> ir.Table:
        """Converts delivered lines to rows in the schema of `VIEW`."""

    def refusals(self, lines: ir.Table) -> ir.Table:
        """Returns `problem`, `value`, `remedy` (strings) of every line that must be refused."""

    def totals(self, lines: ir.Table) -> ir.Table:
        """Sums each cost column per `account` (`billing|sub|month`); only charges have rows."""


def no_totals(lines: ir.Table) -> ir.Table:
    """Returns an empty table of totals, for formats that carry no bill."""
    return lines.select(account=ibis.literal("")).limit(0)
