"""Shows the conditions for closing a month: as they are, and as they were when it was closed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dash import html
from dash.development.base_component import Component

from dashboard.pages.finance.statement_tables import table
from models.closing.conditions import Condition, recorded_condition
from models.records.closes import Close

WORDS = {"ok": "met", "NOT MET": "not met"}
"""What a close recorded, in the words of a page."""


def conditions(found: Sequence[Condition]) -> Component:
    """Builds the table of conditions for closing a month: whether met, and what was found."""
    return _conditions((each.name, "met" if each.met else "not met", each.text) for each in found)


def _conditions(lines: Iterable[tuple[str, str, str]]) -> Component:
    body = [[name.capitalize(), _met(met) if met else "", text] for name, met, text in lines]
    return table(["Condition", "Met", "What was found"], body, texts=(0, 1, 2))


def _met(word: str) -> Component:
    return html.Span(word, className=f"pill {'good' if word == 'met' else 'warn'}")


def conditions_at_close(close: Close) -> Component:
    """Builds the table of a month's conditions as its close recorded them."""
    read = [recorded_condition(line) for line in close.notes]
    return _conditions((name, WORDS.get(mark, mark), text) for name, mark, text in read)
