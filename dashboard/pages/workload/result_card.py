"""Renders what a result costs and how long it takes, on GPU and on Trainium."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from dash import html
from dash.development.base_component import Component

from dashboard.widgets.card import card
from dashboard.widgets.headline.sentence import emphasised
from dashboard.widgets.tables.plain_table import listing
from dashboard.wording.explanations.workload import RESULT
from dashboard.wording.format import cents, number
from dashboard.wording.results import hours, pair_sentence
from dashboard.wording.units import words
from dashboard.wording.unknown import MISSING

Row = dict[str, Any]
TITLE = "What a result costs"


def result_card(standing: Row, sides: Sequence[Row]) -> Component | None:
    """Builds the card that compares a result on GPU and Trainium; None without Trainium work."""
    on = {row["hardware"]: row for row in sides}
    gpu, trn = on.get("gpu"), on.get("trainium")
    if trn is None:
        return None
    table = (
        listing(TITLE, ("Figure", "GPU", "Trainium"), list(result_rows(gpu, trn))) if gpu else None
    )
    sentence = html.P(emphasised(pair_sentence(standing, gpu, trn)))
    return card(TITLE, html.Div([sentence, table]), RESULT)


def result_rows(gpu: Row, trn: Row) -> Iterator[tuple[str, str, str]]:
    """Yields each known figure of a result or a unit of work: its title, on GPU, on Trainium."""
    unit = words(gpu["unit"])
    for title, name, shown in (
        ("$ per result", "cost_per_result", cents),
        ("Hours per result", "hours_per_result", hours),
        (unit.price, "cost_per_epoch", cents),
        (f"Hours {unit.per}", "hours_per_epoch", hours),
        ("Runs that were timed", "timed_runs", number),
    ):
        values = gpu[name], trn[name]
        if values != (None, None):
            one, other = (MISSING if value is None else shown(value) for value in values)
            yield title, one, other
