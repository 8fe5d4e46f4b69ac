"""Reads where all moves stand together, as far as the person of the request may see.

To most that is the portfolio. It is the company's, so a person who sees some workloads only gets
the sums of these instead (`scope_sums`), without a forecast.
"""

from __future__ import annotations

from collections.abc import Sequence

from dashboard.address.view import View
from dashboard.snapshot import break_even, returns, scope_sums
from dashboard.snapshot.context import data_context
from dashboard.snapshot.rows import Row
from models.contract.schema import PORTFOLIO


def is_whole() -> bool:
    """Whether the person of the request may see the portfolio."""
    return data_context().scope.everything


def standing() -> Row | None:
    """Reads where the moves stand; None without a row of the portfolio."""
    return break_even.standing(PORTFOLIO) if is_whole() else scope_sums.standing()


def curve(view: View) -> list[Row]:
    """Reads net saving, investment and their running sum by day; null if unknown."""
    return break_even.curve(PORTFOLIO, view) if is_whole() else scope_sums.curve(view)


def forecast(view: View) -> list[Row]:
    """Reads the forecast of cumulative net saving by week; empty where there is none."""
    return break_even.forecast(PORTFOLIO, view) if is_whole() else []


def investments(view: View) -> list[Row]:
    """Reads the configured investments in the order of their dates."""
    return break_even.investments(PORTFOLIO, view)


def months() -> list[Row]:
    """Reads the net saving of the two newest months, newest first."""
    return break_even.months(PORTFOLIO) if is_whole() else scope_sums.months()


def returns_by_day(view: View) -> list[Row]:
    """Reads the return on investment on settled days; null where unknown."""
    return returns.by_day(PORTFOLIO, view) if is_whole() else scope_sums.returns_by_day(view)


def returns_by_month(moves: Sequence[str], view: View) -> list[Row]:
    """Reads the returns at each month's end of all together and of some moves."""
    if is_whole():
        return returns.month_ends([PORTFOLIO, *moves], view)
    return [*scope_sums.returns_by_month(view), *returns.month_ends(moves, view)]
