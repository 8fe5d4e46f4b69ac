"""Compare's bars and single runs: prices of different units of work share no scale."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

from dash import html
from dash.development.base_component import Component

from dashboard.address.view import View
from dashboard.pages.compare.bars import bars
from dashboard.snapshot.runs.compared_runs import axes
from dashboard.wording.dimensions import dimensions
from dashboard.wording.units import words
from tests.support.dashboard.text import text

D = Decimal
OF = axes(View(by="workload", then="hardware"), dimensions(()))


def group(by: str, per_epoch: int, units: list[str | None]) -> dict[str, Any]:
    cost = D(10 * per_epoch)
    return {"by": by, "then": "gpu", "runs": 1, "cost": cost, "epochs": D(10), "units": units}


ROWS = [group("epo", 900, ["epoch"]), group("tok", 300, ["billion_tokens"]),
        group("old", 450, [None]), group("mix", 600, ["epoch", "billion_tokens"])]  # fmt: skip


def widths(drawn: Component) -> list[str]:
    return re.findall(r"max\(2px, ([\d.]+)%\)", str(drawn.to_plotly_json()))


def test_bars_of_each_unit_have_a_heading_and_a_scale_of_their_own() -> None:
    """An epoch at $450 is half as long as one at $900; $300 a billion tokens is the longest.

    Epochs and tokens together have no price: $6,000 ÷ 10 is none of either.
    """
    drawn = bars(ROWS, OF, words(None))
    assert widths(drawn) == ["100.00", "50.00", "0.00", "100.00"]
    said = text(html.Div(drawn))
    places = [
        said.index(each)
        for each in (
            "Cost per epoch epo", "old", "Several units of work mix", "several units",
            "Cost per billion tokens tok",
        )
    ]  # fmt: skip
    assert places == sorted(places)
    assert "Width: cost per unit, each unit on its own scale. Hatched: GPU." in said


def test_one_unit_needs_no_heading() -> None:
    said = text(html.Div(bars([ROWS[0], ROWS[2]], OF, words("epoch"))))
    assert "Cost per epoch" not in said
    assert "Width: cost per epoch. Hatched: GPU." in said


def test_a_group_of_unknown_cost_is_not_said_to_have_no_progress() -> None:
    """Ten epochs on a machine without a list price, as trn2 has none."""
    unpriced, idle = ROWS[0] | {"cost": None}, ROWS[2] | {"epochs": D(0)}
    drawn = bars([unpriced, idle], OF, words("epoch"))
    assert "old GPU no progress yet epo GPU unknown cost" in text(html.Div(drawn))
    assert "'1 run: unknown cost ÷ 10.00 epochs'" in str(drawn.to_plotly_json())
