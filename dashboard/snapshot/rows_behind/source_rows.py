"""Reads what is behind a number: inputs of its formula, lines of the bill, other rows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from dashboard.address.view import View
from dashboard.snapshot.context import data_context
from dashboard.snapshot.portfolio import months
from dashboard.snapshot.published import snapshot
from dashboard.snapshot.rows import Row, range_of, read_row
from dashboard.snapshot.rows_behind.selection import Selection, fill_statement
from dashboard.snapshot.runs.run_dimensions import known_dimensions
from models.engine.source_lines import bill_lines as delivered_bill
from models.engine.source_lines import deliveries
from models.engine.source_lines.bill_lines import BillLines
from models.engine.source_lines.first_lines import FirstLines


def inputs(of: Selection, view: View) -> Row:
    """Reads the inputs of the formula of a page's number, name → value; empty if it has none."""
    if not of.inputs:
        return {}
    runs, given = _parameters(of, view)
    text, parameters = fill_statement(of.inputs, runs, given)
    return read_row(text, **parameters) or {}


def narrowed_by(of: Selection, view: View) -> Row:
    """Returns the month and the workload that the rows behind a number are filtered by, if any."""
    runs, given = _parameters(of, view)
    texts = " ".join((of.bill, of.samples, of.inputs, of.rows))
    used = fill_statement(texts, runs, given)[1]
    return {name: used[name] for name in ("month", "workload") if used.get(name)}


@contextmanager
def bill_lines(of: Selection, view: View) -> Iterator[BillLines]:
    """Opens a reader of the delivered bill lines behind a page's number, with its filters."""
    runs, given = _parameters(of, view)
    where, parameters = fill_statement(of.bill, runs, given)
    basis = of.basis(view) or str((snapshot() or {}).get("basis", "effective"))
    context = data_context()
    with delivered_bill.bill_lines(
        context.settings, where, parameters, basis, context.scope, counted=bool(of.counted)
    ) as found:
        yield found


def delivered_rows(table: str, where: str, of: Selection, view: View) -> FirstLines:
    """Reads the first 1000 rows of a delivered table that meet a condition, and counts all.

    The table `deliveries` is listed whole, the newest first, whatever `where` says. A reader with a
    limited scope sees progress of the workloads in it, and nothing of the other tables.
    """
    context = data_context()
    if not context.scope.everything and table != "progress":
        return FirstLines((), 0)
    if table == "deliveries":
        return deliveries.deliveries(context.settings)
    text, parameters = fill_statement(where, *_parameters(of, view))
    return deliveries.delivered(context.settings, table, text, parameters, context.scope)


def _parameters(of: Selection, view: View) -> tuple[str, Row]:
    """Returns the SQL of runs behind a number, and the values of all parameters it may use."""
    newest = next(iter(months()), None)
    cluster, instance_type = view.pool_parts
    given = {
        "workload": view.workload,
        "cluster": cluster,
        "instance_type": instance_type,
        "month": view.month or (newest["month"] if newest else ""),
        "tied": view.tied,
        "period": view.period,
        "whole": data_context().scope.everything,
        **range_of(view),
    }
    runs, own = of.runs(view, known_dimensions()) if of.runs else ("", {})
    return runs, given | own
