"""The finance page over a company that closes its months."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from dash import no_update
from flask import Flask

from dashboard.address.view import View
from dashboard.pages.finance import controls, month_end
from dashboard.pages.finance import page as finance
from dashboard.pages.finance.sections import draw
from dashboard.pages.finance.wording import month_sentence
from dashboard.server.downloads import add_downloads
from dashboard.snapshot.context import attach_data
from dashboard.wording.format import month_name
from models.access.acting import system_user
from models.documents.paper import Paper
from models.engine import build
from models.records.closes import Closes
from models.records.statement import Statement
from tests.support.closing.company import Company, company
from tests.support.closing.derived_once import derived_once
from tests.support.dashboard.text import text
from tests.support.documents.papers import FACTS, tables
from tests.support.world import one_core


@pytest.fixture(scope="module")
def firm(tmp_path_factory: pytest.TempPathFactory) -> Company:
    """June is closed, then AWS restates it, and it is built."""
    made = company(tmp_path_factory.mktemp("finance"))
    made.bill()
    made.close("2025-06")
    made.restate({"2025-06": "17"})
    with one_core():
        build.build(made.settings)
    return made


@pytest.fixture(scope="module", autouse=True)
def drafts() -> Iterator[None]:
    """Months of one state of the closes are drafted from the same marts."""
    with derived_once():
        yield


@pytest.fixture(scope="module")
def server(firm: Company) -> Flask:
    made = Flask(__name__)
    attach_data(made, firm.settings)
    add_downloads(made)
    return made


@pytest.fixture(autouse=True)
def serving(server: Flask) -> Iterator[None]:
    with server.app_context():
        yield


def page(**query: str) -> str:
    return text(draw(View.parse(query)))


def test_the_newest_month_that_is_over_is_shown_as_a_draft() -> None:
    said = page()
    assert "In Sep 2025 training on Trainium saved $304" in said
    assert "Draft" in said
    assert "close 2025-07 first" in said
    assert "Version 1" not in said


def test_a_closed_month_stays_and_the_open_one_says_what_became_of_it() -> None:
    closed = page(month="2025-06")
    assert "In Jun 2025 training on Trainium saved $304" in closed
    assert "Closed, version 1" in closed
    assert "Settled through 30 Jun 2025" in closed
    assert "no invoice is named, and 10 days passed since 2025-06-30" in closed
    july = page(month="2025-07")
    assert "closed months are adjusted by −$25.00" in july
    assert "Jun 2025, version 1 atlas-7b net saving its inputs 303.50 0.00 278.50 −25.00" in july
    assert "AWS restated 2025-06 of 999900000001: billed +24.14, effective +24.14" in july


def test_an_adjustment_that_nobody_knows_is_said() -> None:
    given = tables()
    given["summary"][-1]["adjustments"] = None
    said = month_sentence(Paper(Statement("2026-09", FACTS, given)))
    assert "; what closed months would be today is unknown; since the beginning" in said


def test_a_month_or_a_version_that_is_not_there_is_said() -> None:
    assert "nothing is known of this month: 2031-01" in page(month="2031-01")
    assert "no such close: 2025-06 version 7" in page(month="2025-06", version="7")


def test_a_version_that_is_not_there_is_compared_with_nothing() -> None:
    said = page(month="2025-06", against="7")
    assert "In Jun 2025 training on Trainium saved $304" in said
    assert "Changes from version 7 to version 1" in said
    assert "no such close: 2025-06 version 7" in said


def test_a_close_is_offered_where_nothing_but_a_remainder_keeps_it() -> None:
    assert finance.offer_close("2025-07", None, None) == ("", False)
    assert finance.offer_close("2025-06", None, None) == ("", False), "it may be opened again"
    for month, why in (
        ("2031-01", "nothing is known of this month (there are 2025-05 to 2025-10)"),
        ("2025-10", "2025-10 ends on 2025-10-31"),
        ("2025-08", "close 2025-07 first"),
    ):
        line, hidden = finance.offer_close(month, None, None)
        assert hidden
        assert f"{month_name(month)} cannot be closed: " in line
        assert why in line
        card = controls.draw_close(View(month=month))
        assert line in text(card)


def test_the_button_closes_or_says_what_keeps_it(firm: Company) -> None:
    told = finance.close(1, "2025-06", "", "")[0]
    assert "2025-06 is closed already: version 1 by C" in text(told)
    told, *kept = finance.close(1, "2025-08", "", "not lost")
    assert "in order: close 2025-07 first" in text(told)
    assert kept == [no_update] * 3
    assert [close.month for close in Closes(firm.settings.data).every()] == ["2025-06"]
    draft = month_end.draft("2025-08").statement
    assert month_end.draft("2025-08").statement is draft
    told, done, *words = finance.close(1, "2025-07", "", "")
    assert (done, words) == ("2025-07 1", ["", ""])
    assert Closes(firm.settings.data).versions("2025-07")[0].closed_by == system_user()
    assert "Jul 2025 is version 1, sha256 " in text(told)
    assert "Closed, version 1" in page(month="2025-07")
    history = month_end.draft("2025-08").statement.tables["history"]
    assert {row["closed"] for row in history if row["month"] == "2025-07"} == {1}


def test_two_versions_are_compared_figure_by_figure(firm: Company) -> None:
    finance.close(1, "2025-06", "", "the auditor asked")
    months, versions, *_, button, hidden = finance.choose("2025-06", None, "1")
    assert {"value": "2025-06", "label": "Jun 2025 (version 2)"} in months
    assert [option["value"] for option in versions] == ["", "1", "2"]
    assert (button, hidden) == ("Open Jun 2025 again, as version 3", False)
    assert finance.choose("2025-08", None, "")[-2:] == ("Close Aug 2025", True)
    said = page(month="2025-06", against="1")
    assert "Changes from version 1 to version 2" in said
    assert "summary atlas-7b net saving 303.50 278.50" in said
    assert "the auditor asked" in said


@pytest.mark.parametrize(
    ("kind", "mime"), [("xlsx", "openxmlformats"), ("pdf", "pdf"), ("csv", "zip"), ("json", "json")]
)
def test_every_form_can_be_downloaded(server: Flask, kind: str, mime: str) -> None:
    got = server.test_client().get(f"/statement/2025-06.{kind}?version=1")
    assert got.status_code == 200
    assert mime in got.content_type
    ends = {"csv": "csv.zip"}.get(kind, kind)
    assert f'filename="savings-2025-06-v1.{ends}"' in got.headers["Content-Disposition"]


@pytest.mark.parametrize(
    "path",
    [
        *("2025-06.exe", "2025-6.pdf", "2031-01.pdf"),
        *("2025-06.pdf?version=9", "2025-05.pdf?version=0", "x.pdf?version=x"),
    ],
)
def test_what_is_not_there_is_404(server: Flask, path: str) -> None:
    assert server.test_client().get(f"/statement/{path}").status_code == 404
