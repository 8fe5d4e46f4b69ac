"""Reads the Compare page's runs from the snapshot: by group, one by one, and their number."""

from __future__ import annotations

from dashboard.address.view import View
from dashboard.pages.compare import group_sql
from dashboard.snapshot.rows import Row, read_row, read_rows
from dashboard.snapshot.runs.run_dimensions import known_dimensions


def comparison(view: View) -> list[Row]:
    """Reads runs, cost, epochs and hours per group of compared runs, highest total cost first."""
    sql, parameters = group_sql.groups(view, known_dimensions())
    return read_rows(sql, **parameters)


def comparison_left_out(view: View) -> Row:
    """Reads one row: how many runs match the filters, how many are compared, and in which units."""
    sql, parameters = group_sql.left_out(view, known_dimensions())
    return read_row(sql, **parameters) or {}


def comparison_spread(view: View) -> list[Row]:
    """Reads the 600 newest compared runs that have epochs and a known cost, a row each."""
    sql, parameters = group_sql.spread(view, known_dimensions())
    return read_rows(sql, **parameters)
