"""Reads the groups of the Compare page from the published snapshot."""

from __future__ import annotations

from dashboard.address.view import View
from dashboard.pages.compare import statements
from dashboard.snapshot.rows import Row, read_row, read_rows
from dashboard.snapshot.run_dimensions import known_dimensions


def comparison(view: View) -> list[Row]:
    """Reads cost, epochs and hours by one or two dimensions, the dearest group first."""
    sql, parameters = statements.groups(view, known_dimensions())
    return read_rows(sql, **parameters)


def comparison_left_out(view: View) -> Row:
    """Counts the runs that the filters leave, and those of them that the comparison counts."""
    sql, parameters = statements.left_out(view, known_dimensions())
    return read_row(sql, **parameters) or {}


def comparison_spread(view: View) -> list[Row]:
    """Reads the newest counted runs one by one, with their own cost and epochs."""
    sql, parameters = statements.spread(view, known_dimensions())
    return read_rows(sql, **parameters)
