"""Serves the rows behind pages as CSV, with the URL's filters, and statements as files."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import chain

from flask import Flask, Response, request, stream_with_context

from dashboard.address.view import View
from dashboard.pages.clusters import queries as clusters_queries
from dashboard.pages.compare import queries as compare_queries
from dashboard.pages.compare.grid import table
from dashboard.pages.compare.wording import unit_of
from dashboard.pages.finance import month_end
from dashboard.pages.rates import queries as rates_queries
from dashboard.pages.runs import queries as runs_queries
from dashboard.pages.runs.grid import record, shown_columns
from dashboard.pages.trust import queries as trust_queries
from dashboard.snapshot import published
from dashboard.snapshot.context import data_context
from dashboard.snapshot.rows import range_of, read_columns, read_rows
from dashboard.snapshot.rows_behind import source_rows
from dashboard.snapshot.rows_behind.numbers import ROWS_BEHIND
from dashboard.snapshot.rows_behind.selection import Selection
from dashboard.snapshot.runs import run_dimensions
from dashboard.snapshot.runs.compared_runs import axes
from models.contract.errors import AccessError, ConfigError, MissingDataError, StorageError
from models.contract.month import is_month
from models.documents import statement_files
from models.documents.spreadsheet_text import inert
from models.records.audit import audited

Lines = Iterable[Sequence[object]]
ISO = {"started_at": "started_at", "ended": "ended_at"}
"""Columns whose day is written as an ISO date."""

MIMES = {
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "pdf": "application/pdf",
    "csv": "application/zip",
    "parquet": "application/zip",
    "json": "application/json",
}


def add_downloads(server: Flask) -> None:
    """Registers the URLs of all CSV and statement downloads with the server."""
    server.add_url_rule("/statement/<month>.<kind>", "statement", statement)
    server.add_url_rule("/csv/source/<number>", "csv_source", source)
    server.add_url_rule("/csv/runs", "csv_runs", lambda: _answer(runs, "runs"))
    server.add_url_rule("/csv/run_groups", "csv_run_groups", lambda: _answer(groups, "run_groups"))
    server.add_url_rule("/csv/compare", "csv_compare", lambda: _answer(compare, "compare"))
    server.add_url_rule("/csv/pools", "csv_pools", lambda: _answer(pools, "pools"))
    server.add_url_rule("/csv/rates", "csv_rates", lambda: _answer(rates, "rates"))
    server.add_url_rule("/csv/tie_out", "csv_tie_out", lambda: _answer(tie_out, "tie_out"))


def statement(month: str, kind: str) -> Response:
    """Serves a month's statement as a file: the given version, else the newest, else a draft."""
    given = request.args.get("version", "")
    version = View.parse({"version": given}).version
    if kind not in statement_files.KINDS or not is_month(month) or version != given:
        return Response("there is no such statement\n", 404, mimetype="text/plain")
    try:
        about = {"month": month, "version": version or None, "format": kind}
        with audited(data_context().company.data, "export statement", about, role="finance"):
            made = month_end.paper(month, int(version) if version else None)
            content = statement_files.KINDS[kind](made)
    except AccessError as error:
        return Response(f"{error}\n", 403, mimetype="text/plain")
    except MissingDataError as error:
        return Response(f"{error}\n", published.status_of_missing(), mimetype="text/plain")
    except StorageError as error:
        return Response(f"{error}\n", 503, mimetype="text/plain")
    named = {"Content-Disposition": f'attachment; filename="{statement_files.name(made, kind)}"'}
    return Response(content, mimetype=MIMES[kind], headers=named)


def source(number: str) -> Response:
    """Streams as CSV the bill's delivered lines behind a page's number, with the URL's filters."""
    of = ROWS_BEHIND.get(number)
    if of is None or not of.bill:
        text = "no lines of the bill are behind a number of this name\n"
        return Response(text, 404, mimetype="text/plain")
    sent = _batches(of, View.parse(request.args.to_dict(flat=False)))
    try:
        about = {"number": number, "address": request.full_path}
        with audited(data_context().settings.data, "export source rows", about):
            first = next(sent)
    except (ConfigError, MissingDataError, StorageError) as error:
        return Response(f"{error}\n", 503, mimetype="text/plain")
    named = {"Content-Disposition": f'attachment; filename="{number}.csv"'}
    every = stream_with_context(chain((first,), sent))
    return Response(every, mimetype="text/csv", headers=named)


def _batches(of: Selection, view: View) -> Iterator[str]:
    with source_rows.bill_lines(of, view) as behind:
        batches = behind.batches()
        yield _text([batches.schema.names])
        for batch in batches:
            columns = batch.to_pydict().values()
            yield _text([list(row) for row in zip(*columns, strict=True)])


def runs(view: View) -> Lines:
    """Yields header and rows for the CSV of the Runs page, with its filters and columns."""
    dims = run_dimensions.known_dimensions()
    columns = shown_columns(dims, view.columns, "")
    yield [column["headerName"] for column in columns]
    for row in runs_queries.chosen_runs(view):
        cells = record(row, dims)
        cells |= {name: row[of] and row[of].date().isoformat() for name, of in ISO.items()}
        yield [cells[column["field"]] for column in columns]


def groups(view: View) -> Lines:
    """Returns header and rows of the CSV of runs summed by group; empty without a grouping."""
    asked = runs_queries.run_groups_sql(view)
    return _as_read(asked[0], (), **asked[1]) if asked else []


def compare(view: View) -> Lines:
    """Yields header and rows for the CSV of the Compare page, laid out as its grid."""
    of = axes(view, run_dimensions.known_dimensions())
    unit = unit_of(compare_queries.comparison_left_out(view))
    columns, rows = table(compare_queries.comparison(view), of, view, unit)
    yield [column["headerName"] for column in columns]
    for row in rows:
        yield [row.get(column["field"]) for column in columns]


def rates(view: View) -> Lines:
    """Returns header and rows for the CSV behind the chart of the Rates page."""
    return _as_read(rates_queries.RATES, period=view.period, **range_of(view))


def pools(view: View) -> Lines:
    """Returns header and rows for the CSV of shared machines: a row per pool and month.

    A reader with a limited scope gets only the columns of held hours and cost, and unsettled hours.
    """
    own = ("month", "cluster", "instance_type", "held_hours", "held_cost", "unsettled_hours")
    columns = () if data_context().scope.everything else own
    return _as_read(clusters_queries.MONTHS, columns, **range_of(view))


def tie_out(view: View) -> Lines:
    """Returns the tie-out's CSV rows by month and account; 404 unless the reader sees all of it."""
    data_context().refuse_scoped()
    return _as_read(trust_queries.TIE_OUT_BY_ACCOUNT, basis=view.tied, **range_of(view))


def _as_read(sql: str, columns: Sequence[str] = (), **parameters: object) -> Lines:
    """Returns the header and unrounded rows of an SQL query, with all or only given columns.

    Without a row the header stands alone, so a program that reads the file finds its columns.
    """
    names = columns or read_columns(sql, **parameters)
    rows = read_rows(sql, **parameters)
    return [names, *([row[name] for name in names] for row in rows)]


def _answer(lines: Callable[[View], Lines], name: str) -> Response:
    view = View.parse(request.args.to_dict(flat=False))
    try:
        text = _text(lines(view))
    except (MissingDataError, StorageError) as error:
        return Response(f"{error}\n", 503, mimetype="text/plain")
    named = {"Content-Disposition": f'attachment; filename="{name}.csv"'}
    return Response(text, mimetype="text/csv", headers=named)


def _text(lines: Lines) -> str:
    """Writes rows as CSV (RFC 4180), decimals without exponents; text becomes no formula."""
    buffer = io.StringIO()
    cells = ([_cell(cell) for cell in line] for line in lines)
    csv.writer(buffer, lineterminator="\n").writerows(cells)
    return buffer.getvalue()


def _cell(cell: object) -> object:
    if isinstance(cell, Decimal):
        return f"{cell:f}"  # 0 of nine places is `0E-9` otherwise
    return inert(cell) if isinstance(cell, str) else cell
