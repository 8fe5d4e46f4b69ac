"""September is closed while two days wait for allocations; then they come."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from flask import Flask

from dashboard.address.view import View
from dashboard.pages.finance import month_end, sections
from dashboard.server.identity.gate import add_identity
from dashboard.snapshot import unsettled
from dashboard.snapshot.context import attach_data
from dashboard.wording.format import day
from models.closing import closing, verification
from models.config.settings import Settings
from models.documents.paper import paper
from models.documents.pdf.statement_pdf import document
from models.sending.monthly_digest import write_digest
from tests.support.dashboard.text import text
from tests.support.delivered_allocations import deliver, held
from tests.support.documents.pdf_text import pdf_text
from tests.support.missing_days import ALLOCATIONS, FIRST, LAST, pulled
from tests.support.world import build_once, one_core

MONTH = "2025-09"


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    settings = pulled(tmp_path_factory.mktemp("closed"))
    with one_core():
        closing.close(settings, MONTH, by="C")
    job = {"accelerators": 16, "workload": "atlas-7b"}
    lab = held(FIRST, LAST, cluster="lab", resource="i-2", run="l", job="l", **job)
    deliver(settings.data, [held(FIRST, LAST, run="t", job="t", **job), lab])
    build_once(settings)
    return settings


@pytest.fixture
def server(settings: Settings) -> Iterator[Flask]:
    server = Flask("closed")
    attach_data(server, settings)
    add_identity(server, settings)
    with server.app_context():
        yield server


def test_page_pdf_and_digest_tell_a_closed_month_as_it_was_closed(
    settings: Settings, server: Flask, tmp_path: Path
) -> None:
    assert unsettled.waiting().allocations == ""
    parts = [text(part) for part in sections.draw(View(month=MONTH))]
    assert "In Sep 2025, which is incomplete, training on Trainium" in parts[0]
    assert parts[0].endswith(ALLOCATIONS)
    assert sum(part.count("Incomplete 2 days not counted yet") for part in parts) == 3
    shown, of_command = month_end.paper(MONTH), paper(settings, MONTH)
    assert shown == of_command
    assert unsettled.waiting_of_month(MONTH) == shown.waiting
    assert ALLOCATIONS in " ".join(pdf_text(document(of_command), tmp_path).split())
    assert ALLOCATIONS in write_digest(settings, MONTH).words


def test_a_sentence_that_is_copied_from_a_month_says_its_version_or_that_it_is_a_draft(
    server: Flask,
) -> None:
    found = {
        month: sections.draw(View(month=month))[0].to_plotly_json()["props"]["children"][1]
        for month in (MONTH, "2025-10")
    }
    closed_on = day(month_end.paper(MONTH).dated.date())
    asked = {month: getattr(heading, "data-asked") for month, heading in found.items()}
    assert asked == {MONTH: f"Sep 2025, version 1, closed on {closed_on}",
        "2025-10": "Oct 2025, draft"}  # fmt: skip
    assert [getattr(heading, "data-closed") for heading in found.values()] == ["yes", ""]


def test_what_waited_is_in_the_close_and_verifies(settings: Settings) -> None:
    rows = paper(settings, MONTH).statement.tables["unsettled"]
    assert [tuple(row.values()) for row in rows if row["waits_for"]] == [
        ("(portfolio)", "allocations", 2, date(2025, 9, 4), date(2025, 9, 8), 520),
        ("(portfolio)", "workload_day", 1, date(2025, 9, 8), date(2025, 9, 8), 480),
    ]
    assert verification.verify(settings, MONTH).computed_again


def test_the_draft_of_a_later_month_waits_for_its_own_days(
    settings: Settings, server: Flask
) -> None:
    assert month_end.paper("2025-10").waiting == paper(settings, "2025-10").waiting
    assert "1 day" not in month_end.paper("2025-10").waiting.allocations
    assert month_end.paper("2025-10").waiting.days["(portfolio)"] > 0
