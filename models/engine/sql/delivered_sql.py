"""Compiles the SQL that reads or reduces delivered lines of one format."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import ibis
import ibis.expr.types as ir

from models import formats
from models.config.metrics.line_meaning import LineMeaning, line_meaning
from models.config.settings import Settings
from models.engine.context import BuildContext
from models.engine.sql.rendering import render
from models.marts import SPEND_REDUCED
from models.marts.cost.charges.spend_reduced import with_machines

Reading = Callable[[ir.Table, str, Settings], ir.Table]
"""A function of this module: `rows`, `reduction` or `reduction_with_machines`."""


def reduction(lines: ir.Table, format_name: str, settings: Settings) -> ir.Table:
    """Returns the expression that sums bill lines of one format to rows of `spend_reduced`."""
    return SPEND_REDUCED(_charges(lines, format_name, line_meaning(settings)))


def reduction_with_machines(lines: ir.Table, format_name: str, settings: Settings) -> ir.Table:
    """Returns an expression that sums bill lines by day, shared machines' by charge period."""
    return with_machines(_charges(lines, format_name, _of_machines(settings)))


def _of_machines(settings: Settings) -> LineMeaning:
    return line_meaning(settings, shared_machines=True)


def _charges(lines: ir.Table, format_name: str, meaning: LineMeaning) -> ir.Table:
    if pre_aggregated := formats.PRE_AGGREGATIONS.get(format_name):
        lines = pre_aggregated(lines, meaning)
    return formats.named(format_name).rows(lines, meaning)


def rows(lines: ir.Table, format_name: str, settings: Settings) -> ir.Table:
    """Returns the expression that converts one format's lines to breakeven's own columns."""
    return formats.named(format_name).rows(lines, line_meaning(settings))


def rows_with_machines(lines: ir.Table, format_name: str, settings: Settings) -> ir.Table:
    """Returns the expression of bill lines in our columns, naming the machines that jobs may share.

    The machines are those of `reduction_with_machines`.
    """
    return formats.named(format_name).rows(lines, _of_machines(settings))


UNSUMMED: Mapping[Reading, Reading] = {
    reduction: rows,
    reduction_with_machines: rows_with_machines,
}
"""Each way to sum lines, and the same lines by themselves."""


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
    about = (
        made.__name__,
        name,
        format_name,
        str(columns),
        line_meaning(settings),
        settings.clusters,
        dialect,
    )
    unbound = ibis.table(columns, name=name)
    compiled = context.sql_cache.get(
        about, lambda: render(made(unbound, format_name, settings), dialect)
    )
    return compiled.text
