"""Defines which rows a number was computed from, by conditions on delivered tables.

A selection is a condition on `spend_daily`, whose rows are the lines of the bill with their
meaning, and one on the samples of progress; or on another delivered table. `inputs` is a statement
of one row whose columns are named as the page names them; amounts end in `, $`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dashboard.address.view import View
from dashboard.wording.dimensions import Dimensions

Row = dict[str, Any]
RunsStatement = tuple[str, Row]
"""A statement of runs, and its parameters."""


@dataclass(frozen=True)
class Selection:
    """The SQL conditions on delivered rows behind a number of a page; an empty one selects none.

    `counted` is a condition on `counted_costs` in place of `spend_daily`: of each row, the lines of
    the charges in it. `runs` selects runs narrowed by the page's filters. `table` names another
    delivered table, and `rows` is the condition on it.
    """

    spend: str = ""
    samples: str = ""
    inputs: str = ""
    runs: Callable[[View, Dimensions], RunsStatement] | None = None
    counted: str = ""
    table: str = ""
    rows: str = "TRUE"
    basis: Callable[[View], str] = lambda _: ""
    """The cost basis, if the URL chooses it; else the configured one."""

    @property
    def bill(self) -> str:
        """Returns the SQL condition that selects lines of the bill; empty if none are behind it."""
        return self.counted or self.spend


PARAMETER = re.compile(r"\$(\w+)")


def fill_statement(text: str, runs: str, given: Row) -> tuple[str, Row]:
    """Returns SQL with `{runs}` replaced by the SQL of runs, and the given parameters it uses."""
    statement = text.replace("{runs}", runs)
    return statement, {name: given[name] for name in set(PARAMETER.findall(statement))}
