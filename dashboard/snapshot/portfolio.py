"""Reads the state of all moves together that the reader may see.

For most readers that is the portfolio. A reader with a limited scope gets the sums of the workloads
in it instead (`scope_sums`), without a forecast.
"""

from __future__ import annotations

from collections.abc import Sequence

from dashboard.address.view import View
from dashboard.snapshot import break_even, returns, scope_sums
from dashboard.snapshot.context import data_context
from dashboard.snapshot.rows import Row
from models.contract.schema import PORTFOLIO


def is_whole() -> bool:
    """Returns whether the reader may see the portfolio, which is all workloads together."""
    return data_context().scope.everything


def standing() -> Row | None:
    """Reads the state of all moves together as a row of `break_even`; None without one."""
    return break_even.standing(PORTFOLIO) if is_whole() else scope_sums.standing()


def curve(view: View) -> list[Row]:
    """Reads net saving, investment and their running sum of all moves by day; null if unknown."""
    return break_even.curve(PORTFOLIO, view) if is_whole() else scope_sums.daily_totals(view)


def forecast(view: View) -> list[Row]:
    """Reads the forecast of cumulative net saving of all moves by week; may be empty."""
    return break_even.forecast(PORTFOLIO, view) if is_whole() else []


def investments(view: View) -> list[Row]:
    """Reads the configured investments of all workloads that the reader may see, by date."""
    return break_even.investments(PORTFOLIO, view)


def months() -> list[Row]:
    """Reads the net saving of all moves in the two newest months, newest first."""
    return break_even.months(PORTFOLIO) if is_whole() else scope_sums.months()


def returns_by_day(view: View) -> list[Row]:
    """Reads the return of all moves together on settled days; null where unknown."""
    return returns.by_day(PORTFOLIO, view) if is_whole() else scope_sums.returns_by_day(view)


def returns_by_month(moves: Sequence[str], view: View) -> list[Row]:
    """Reads the returns at each month's end, of all moves together and of some single ones."""
    if is_whole():
        return returns.month_ends([PORTFOLIO, *moves], view)
    return [*scope_sums.returns_by_month(view), *returns.month_ends(moves, view)]
