"""The sample before and after: what 0.1.0 closed, and this edition from the same deliveries."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from models.closing.recomputed_by_this_edition import ByThisEdition
from models.config.loading import load
from models.contract.decimal_text import dollars
from models.records.closes import Close, Closes
from tests.support.documentation.worked_examples import parser
from tests.support.earlier_versions import unpacked
from tests.support.world import one_core

PAGE = Path(__file__).parents[3] / "docs" / "method" / "editions.md"
MONTH = "2026-02"
HEADING = "The sample, before and after"
FIGURES = ("baseline_value", "net_saving", "investment", "cumulative_net")
Sides = Mapping[str, tuple[dict[str, Any], dict[str, Any]]]


@pytest.fixture(scope="module")
def sides(tmp_path_factory: pytest.TempPathFactory) -> Sides:
    """Each workload's month, as edition 1 closed it and as this edition computes it."""
    settings = load(unpacked("closes", tmp_path_factory.mktemp("closes")) / "breakeven.toml")
    (close,) = (one for one in Closes(settings.data).newest_versions() if one.month == MONTH)
    return {row["workload"]: (row, again) for row, again in both(close, ByThisEdition(settings))}


def both(close: Close, computed: ByThisEdition) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    with one_core():
        figures = computed(close)
    assert figures is not None
    now = {row["workload"]: row for row in figures["summary"] if row["month"] == close.month}
    return [(row, now[row["workload"]]) for row in close.statement.tables["summary"]]


def test_the_page_shows_the_figures_of_both_editions(sides: Sides) -> None:
    shown = [
        [name, *(dollars(side[figure]) for figure in FIGURES for side in pair)]
        for name, pair in sorted(
            sides.items(), key=lambda item: (item[0] == "(portfolio)", item[0])
        )
        if any(pair[0][figure] != pair[1][figure] for figure in FIGURES)
    ]
    assert table() == shown


def table() -> list[list[str]]:
    """The rows below the heading of the page, without the head."""
    tokens = parser().parse(PAGE.read_text(encoding="utf-8"))
    start = next(n for n, (one, two) in enumerate(pairwise(tokens)) if two.content == HEADING)
    rows: list[list[str]] = []
    for token in tokens[start + 2 :]:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline" and rows:
            rows[-1].append(token.content)
        elif token.type == "table_close":
            break
    return rows[1:]
