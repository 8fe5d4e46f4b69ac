"""Renders how much of the Trainium spend is compared with GPU, and what the rest lacks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dash import html
from dash.development.base_component import Component

from dashboard.widgets.card import card
from dashboard.widgets.headline.sentence import emphasised
from dashboard.widgets.tables.plain_table import listing
from dashboard.wording.explanations.savings import JUDGED
from dashboard.wording.judged import judged_sentence, remedy

Row = dict[str, Any]
TITLE = "How much is compared"
HEAD = ("Not compared", "What is missing", "Trainium cost, $")


def judged(standing: Row, kinds: Sequence[Row]) -> Component | None:
    """Builds the card of how much Trainium spend is compared with GPU, and what the rest lacks.

    None where nothing was spent on Trainium, or what was is unknown.
    """
    text = judged_sentence(standing)
    if text is None:
        return None
    rows = [[_name(row), remedy(row), row["trn_cost"]] for row in kinds]
    table = listing(TITLE, HEAD, rows, words=2) if rows else None
    return card(TITLE, html.Div([html.P(emphasised(text)), table]), JUDGED)


def _name(row: Row) -> str:
    return f"{row['workload']}, {row['recipe']}" if row["recipe"] else str(row["workload"])
