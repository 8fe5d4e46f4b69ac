"""Overview, a workload's page and Finance of a company that trains on GPU alone, really built."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from flask import Flask

from dashboard.address.view import View
from dashboard.pages.finance.month_end import paper
from dashboard.pages.finance.wording import month_sentence
from dashboard.pages.overview.curve import draw_curve
from dashboard.pages.overview.page import draw_headline
from dashboard.server.identity.gate import add_identity
from dashboard.snapshot.context import attach_data
from dashboard.wording.unknown import NOT_MOVED
from models.contract.schema import PORTFOLIO
from models.documents.wording import sentence
from tests.support.dashboard.text import text
from tests.support.world import Marts, World

BEFORE = View.parse({"to": "2025-05-31"})


def company(folder: pytest.TempPathFactory, name: str, **config: object) -> Iterator[Flask]:
    world = World(folder.mktemp(name))
    world.run("g1", "p4d.24xlarge", "2025-05-05", 100, 25, 10)
    world.run("g2", "p4d.24xlarge", "2025-05-12", 110, 25, 10)
    world.charge("2025-10-30T00:00:00", 1, x_UsageType="Requests-Tier1")
    built: Marts = world.build(**config)
    server = Flask(name)
    attach_data(server, built.settings)
    add_identity(server, built.settings)
    with server.app_context():
        yield server


@pytest.fixture
def on_gpu(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Flask]:
    yield from company(tmp_path_factory, "gpu")


@pytest.fixture
def investing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Flask]:
    outlay = {"date": "2025-08-15", "kind": "tooling", "amount": 4800}
    yield from company(tmp_path_factory, "investing", investments=[outlay])


@pytest.mark.parametrize("curve", ["net", "return", "months"])
def test_where_nothing_has_moved_no_line_at_0_is_drawn(on_gpu: Flask, curve: str) -> None:
    assert text(draw_headline()[0]).endswith(
        "Nothing has moved to Trainium yet, and nothing has been invested."
    )
    assert text(draw_curve(View(curve=curve))) == " ".join(NOT_MOVED)


def test_an_investment_begins_the_curve_and_days_before_it_are_no_line_at_0(
    investing: Flask,
) -> None:
    assert "break-even" in text(draw_curve(View()))
    assert "Nothing" not in text(draw_curve(View()))
    assert text(draw_curve(BEFORE)) == (
        "Nothing saved or invested up to these days Choose a later range."
    )


def test_a_month_of_finance_claims_no_saving_before_anything_has_moved(on_gpu: Flask) -> None:
    made = paper("2025-05")
    said = "Nothing has moved to Trainium yet, and nothing has been invested."
    assert month_sentence(made) == said == sentence("2025-05", made.statement.row(PORTFOLIO))


def test_a_month_of_finance_says_what_was_invested_so_far(investing: Flask) -> None:
    assert month_sentence(paper("2025-08")) == (
        "$4,800 has been invested in moving to Trainium; no production run has settled yet, "
        "so nothing is recovered."
    )
