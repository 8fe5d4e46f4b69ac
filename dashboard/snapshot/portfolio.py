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
    """Reads the state of all moves that the reader may see as one row of `break_even`, or None."""
    return break_even.standing(PORTFOLIO) if is_whole() else scope_sums.standing()


def curve(view: View) -> list[Row]:
    """Reads by day, for all moves together, net saving, investment, and their difference so far.

    Of all moves that the reader may see; null where unknown.
    """
    return break_even.curve(PORTFOLIO, view) if is_whole() else scope_sums.daily_totals(view)


def forecast(view: View) -> list[Row]:
    """Reads by week the forecast of all moves' saving less investment; empty if some are hidden."""
    return break_even.forecast(PORTFOLIO, view) if is_whole() else []


def investments(view: View) -> list[Row]:
    """Reads by date the investments configured for any workload the reader may see, in a range."""
    return break_even.investments(PORTFOLIO, view)


def months() -> list[Row]:
    """Reads what all moves together saved net in the two newest months with a settled day.

    The newest month is first.
    """
    return break_even.months(PORTFOLIO) if is_whole() else scope_sums.months()


def returns_by_day(view: View) -> list[Row]:
    """Reads by settled day the return on investment of all moves together; null where unknown."""
    return returns.by_day(PORTFOLIO, view) if is_whole() else scope_sums.returns_by_day(view)


def returns_by_month(moves: Sequence[str], view: View) -> list[Row]:
    """Reads by month's end the return on investment of all moves together and of given ones."""
    if is_whole():
        return returns.month_ends([PORTFOLIO, *moves], view)
    return [*scope_sums.returns_by_month(view), *returns.month_ends(moves, view)]
