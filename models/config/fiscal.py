"""Defines `[fiscal]`: in which month a fiscal year begins, and how it is named."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from models.config.section import Section


class Fiscal(Section):
    """The table `[fiscal]`: the month in which a fiscal year begins, and how the year is named.

    A year is twelve calendar months from `first_month` (1 is January), in quarters. It is named
    after the calendar year in which it starts, or the one in which it ends (`named_after`).
    Example: with `first_month = 7` and `end`, July 2026 is in FY2027, Q1.
    """

    first_month: int = Field(1, ge=1, le=12)
    named_after: Literal["end", "start"] = "end"

    def year_to_date(self, month: str) -> list[str]:
        """Lists months, as `YYYY-MM`, from the first of a month's fiscal year to that month."""
        return _until(month, self._place(month))

    def quarter_to_date(self, month: str) -> list[str]:
        """Lists months, as `YYYY-MM`, from the first of a month's fiscal quarter to that month."""
        return _until(month, self._place(month) % 3)

    def year(self, month: str) -> str:
        """Returns the name of the fiscal year that a month is in: `FY2027`."""
        first = int(self.year_to_date(month)[0][:4])
        return f"FY{first + (self.named_after == 'end' and self.first_month > 1)}"

    def quarter(self, month: str) -> str:
        """Returns the name of the fiscal quarter that a month is in: `Q3`."""
        return f"Q{self._place(month) // 3 + 1}"

    def _place(self, month: str) -> int:
        return (int(month[5:]) - self.first_month) % 12


def _until(month: str, before: int) -> list[str]:
    last = int(month[:4]) * 12 + int(month[5:]) - 1
    return [f"{n // 12:04}-{n % 12 + 1:02}" for n in range(last - before, last + 1)]
