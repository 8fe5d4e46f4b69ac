"""Renders the audit log for admins: who did what, from where, and whether it succeeded."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from dash import html
from dash.development.base_component import Component

from dashboard.widgets.card import plain_card
from dashboard.widgets.indicators import empty
from dashboard.widgets.tables.plain_table import Cell, listing
from dashboard.wording.format import day
from dashboard.wording.unknown import MISSING
from models.records.audit import BEGINS, DONE, Line, about

SHOWN = 100
HEAD = ("When (UTC)", "Who", "Role", "From", "What", "About", "Outcome")
NOTE = (
    f"The newest {SHOWN} lines, for admins only. An action has a line when it begins and one with "
    "its outcome. `breakeven audit --verify` checks that no line was changed or lost."
)


def audit_log(lines: Sequence[Line]) -> Component:
    """Builds the section of the audit log: a row per line, the newest first."""
    if not lines:
        body = empty("Nothing is on record yet", "Closes, exports and sign-ins are listed here.")
    else:
        table = listing("Audit log", HEAD, [_line(each) for each in lines], words=len(HEAD))
        body = html.Div([table, html.P(NOTE, className="note")])
    return plain_card("Audit log", body)


def _line(line: Line) -> list[Cell]:
    outcome = str(line.get("outcome", ""))
    return [
        _instant(str(line.get("at", ""))),
        *(str(line.get(name, MISSING)) for name in ("who", "role", "from", "what")),
        html.Span(about(line), className="audit-about"),
        outcome if outcome in (BEGINS, DONE) else html.Span(outcome, className="bad audit-about"),
    ]


def _instant(text: str) -> str:
    try:
        at = datetime.fromisoformat(text).astimezone(UTC)
    except ValueError:
        return MISSING
    return f"{day(at.date())}, {at:%H:%M:%S}"
