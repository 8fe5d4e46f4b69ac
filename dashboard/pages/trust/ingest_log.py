"""Renders the ingest log: a line per pull of a source."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from dash import html
from dash.development.base_component import Component

from dashboard.widgets.indicators import empty
from dashboard.widgets.tables.plain_table import Cell, listing
from dashboard.wording.format import day, number
from dashboard.wording.unknown import MISSING
from models.raw.pulls.pull_history import Pull

SHOWN = 50
OPEN = "Not finished: still running, or interrupted."


def pull_list(rows: Sequence[Pull]) -> Component:
    """Builds the table of the 50 newest pulls: when, result, rows, paid requests, dollars."""
    if not rows:
        return empty(
            "No pull is on record",
            "`breakeven ingest` pulls once, `breakeven schedule` whenever a source is due.",
        )
    head = (
        "Began (UTC)",
        "Source",
        "Account, region",
        "Result",
        "Took",
        "New",
        "Unchanged",
        "Rows",
        "Paid requests",
        "Dollars",
    )
    body = [_pull(each) for each in rows[:SHOWN]]
    note = f"The newest {SHOWN} of the pulls on record." if len(rows) > SHOWN else None
    table = listing("Ingest log", head, body, words=4)
    return html.Div([table, html.P(note, className="note") if note else None])


def _pull(of: Pull) -> list[Cell]:
    wide = html.Span([of.source, html.Small(of.location)], className="stack log-source")
    return [
        _instant(of.began),
        wide,
        ", ".join(filter(None, (of.account, of.region))) or MISSING,
        _outcome(of),
        _took(of),
        number(of.new),
        number(of.unchanged),
        number(of.rows),
        number(of.requests),
        of.dollars,
    ]


def _outcome(of: Pull) -> Component | str:
    if of.error or of.ended is None:
        return html.Span(of.error or OPEN, className="bad")
    days = f" ({of.window})" if of.window else ""
    return f"{'New data' if of.new else 'No new data'}{days}"


def _took(of: Pull) -> str | None:
    if of.ended is None:
        return None
    seconds = int((of.ended - of.began).total_seconds())
    return f"{seconds} s" if seconds < 120 else f"{seconds // 60} min"


def _instant(at: datetime) -> str:
    utc = at.astimezone(UTC)
    return f"{day(utc.date())}, {utc:%H:%M}"
