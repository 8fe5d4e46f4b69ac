"""Compiles the SQL that reads or reduces delivered lines of one format."""

from __future__ import annotations

from collections.abc import Callable

import ibis
import ibis.expr.types as ir

from models import formats
from models.config.metrics.line_meaning import line_meaning
from models.config.settings import Settings
from models.engine.context import BuildContext
from models.engine.sql.rendering import render
from models.marts import SPEND_REDUCED

Reading = Callable[[ir.Table, str, Settings], ir.Table]
"""A function of this module: `rows` or `reduction`."""


def reduction(lines: ir.Table, format_name: str, settings: Settings) -> ir.Table:
    """Sums delivered bill lines of one format to rows of the table `spend_reduced`."""
    labels = line_meaning(settings)
    if pre_aggregated := formats.PRE_AGGREGATIONS.get(format_name):
        lines = pre_aggregated(lines, labels)
    return SPEND_REDUCED(formats.named(format_name).rows(lines, labels))


def rows(lines: ir.Table, format_name: str, settings: Settings) -> ir.Table:
    """Converts delivered lines of one format to rows in breakeven's own columns."""
    return formats.named(format_name).rows(lines, line_meaning(settings))


def delivered(
    context: BuildContext,
    made: Reading,
    lines: ir.Table,
    format_name: str,
    dialect: str = "duckdb",
) -> str:
    """Returns the SQL that converts or reduces a format's lines, cached or newly compiled.

    `made` is the function `rows` or `reduction`. The table of lines matters only by its name and
    columns.
    """
    settings, name, columns = context.settings, lines.get_name(), lines.schema()
    about = (made.__name__, name, format_name, str(columns), line_meaning(settings), dialect)
    unbound = ibis.table(columns, name=name)
    compiled = context.sql_cache.get(
        about, lambda: render(made(unbound, format_name, settings), dialect)
    )
    return compiled.text
