"""The interface of the modules that each read one delivered file format."""

from __future__ import annotations

from typing import Literal, Protocol

import ibis
import ibis.expr.types as ir

from models.config.tags import Tags

View = Literal[
    "charges", "progress", "prices", "capacity", "jobs", "utilisation", "allocations"
]  # fmt: skip
"""The tables that delivered lines become."""


class Format(Protocol):
    """The interface of a module that reads the lines of one delivered file format."""

    @property
    def NAME(self) -> str:  # noqa: N802 - a constant of the module
        """The name of a file format, as in a delivery's marker file."""

    @property
    def VIEW(self) -> View:  # noqa: N802
        """The table that rows of a file format belong to: charges, progress, prices, …."""

    @property
    def REQUIRED(self) -> tuple[str, ...]:  # noqa: N802
        """The columns that a delivery of this format must have, else it is refused."""

    def rows(self, lines: ir.Table, tags: Tags) -> ir.Table:
        """Converts delivered lines of a file format to rows in the schema of its table."""

    def refusals(self, lines: ir.Table) -> ir.Table:
        """Returns problem, value and remedy of each line to refuse, not the line itself."""

    def totals(self, lines: ir.Table) -> ir.Table:
        """Sums each cost column of a bill per account and month; no rows for other formats.

        The column `account` is `billing|sub|month`, the two accounts and the month in one text.
        """


def no_totals(lines: ir.Table) -> ir.Table:
    """Returns an empty table of totals, for file formats that contain no bill."""
    return lines.select(account=ibis.literal("")).limit(0)
