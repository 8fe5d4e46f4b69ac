"""The only door to the published snapshot: a question in, plain rows out.

Each request reads the snapshot that is current by then, so a rebuild is seen at once and
never breaks an open page. Money arrives as `Decimal`; dates are inclusive on both ends.
"""

from __future__ import annotations

from dashboard.address.view import View
from dashboard.pages.compare import statements
from dashboard.snapshot.rows import Row, read_row, read_rows
from dashboard.snapshot.run_dimensions import known_dimensions


def comparison(view: View) -> list[Row]:
    """Cost, epochs and hours by the address's one or two dimensions, the dearest group first."""
    sql, parameters = statements.groups(view, known_dimensions())
    return read_rows(sql, **parameters)


def comparison_left_out(view: View) -> Row:
    """How many runs were found, and how many of these count."""
    sql, parameters = statements.left_out(view, known_dimensions())
    return read_row(sql, **parameters) or {}


def comparison_spread(view: View) -> list[Row]:
    """The newest of the runs that count, one by one."""
    sql, parameters = statements.spread(view, known_dimensions())
    return read_rows(sql, **parameters)
