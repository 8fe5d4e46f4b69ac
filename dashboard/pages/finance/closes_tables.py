"""Builds the tables of all closes of months, and of what differs between two of one month."""

from __future__ import annotations

from collections.abc import Sequence

from dash import html
from dash.development.base_component import Component

from dashboard.pages.finance.statement_tables import table
from dashboard.wording.format import month_name
from dashboard.wording.unknown import MISSING
from models.closing.statement_differences import Difference
from models.records.closes import Close

SHORT = 12
"""How many characters of a SHA-256 are shown; hovering shows all."""


def history(closes: Sequence[Close]) -> Component:
    """Builds the table of all closes of months, newest first."""
    body = [
        [
            month_name(close.month),
            str(close.version),
            close.closed_by,
            close.closed_at[:16].replace("T", " "),
            close.reason or MISSING,
            html.Code(close.statement.sha256[:SHORT], title=close.statement.sha256),
        ]
        for close in sorted(closes, key=lambda c: (c.month, c.version), reverse=True)
    ]
    head = ["Month", "Version", "Closed by", "At, UTC", "Opened again because", "SHA-256"]
    return table(head, body, texts=tuple(range(6)))


def differences(found: Sequence[Difference]) -> Component:
    """Builds the table of figures that differ between two versions of a month."""
    body = [
        [each.table.replace("_", " "), each.whose, each.figure.replace("_", " "),
         each.was or MISSING, each.now or MISSING]
        for each in found
    ]  # fmt: skip
    head = ["Table", "Whose", "Figure", "Was", "Is"]
    return table(head, body, texts=(0, 1, 2))
