"""Every verdict says which dollars wait: two days without allocations, one of an open bill."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from flask import Flask

from dashboard.address.view import View
from dashboard.pages.clusters import sections as clusters
from dashboard.pages.finance import month_end, sections, statement_tables
from dashboard.pages.overview import page as overview
from dashboard.pages.trust import page as trust
from dashboard.pages.workload.brief import brief
from dashboard.server.identity.gate import add_identity
from dashboard.snapshot import unsettled
from dashboard.snapshot.context import attach_data
from models.access.acting import Actor, acting
from models.access.person import Grant, Person
from models.documents.answer_so_far import answer_so_far
from models.documents.paper import paper
from models.documents.unsettled_spend import Waiting
from tests.support.dashboard.text import text
from tests.support.missing_days import ALLOCATIONS, BILL, pulled
from tests.support.world import Marts, build_once


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    settings = pulled(tmp_path_factory.mktemp("waiting"))
    build_once(settings)
    return Marts(settings)


@pytest.fixture
def server(marts: Marts) -> Iterator[Flask]:
    server = Flask("waiting")
    attach_data(server, marts.settings)
    add_identity(server, marts.settings)
    with server.app_context():
        yield server


def test_the_overview_says_beside_its_verdict_what_waits(server: Flask) -> None:
    head, basis = (text(part) for part in overview.draw_headline())
    assert head.endswith(ALLOCATIONS)
    assert f"Settled through 28 Oct 2025 {BILL}" in basis


def test_a_month_that_waits_is_incomplete_and_says_for_which_dollars(server: Flask) -> None:
    september = month_end.paper("2025-09")
    head = text(sections.draw(View(month="2025-09"))[0])
    assert "In Sep 2025 so far, which is incomplete, training on Trainium" in head
    assert head.endswith(ALLOCATIONS)
    assert dict(september.waiting.days) == {"(portfolio)": 2, "atlas-7b": 2, "own": 2}
    table = text(statement_tables.summary(september.statement, september.waiting.days))
    assert table.count("Incomplete 2 days not counted yet") == 3
    october = [text(part) for part in sections.draw(View(month="2025-10"))[:2]]
    assert "In Oct 2025 so far, which is incomplete" in october[0]
    assert october[1].endswith(BILL)


def test_a_month_that_waits_for_nothing_is_not_marked(server: Flask) -> None:
    head = text(sections.draw(View(month="2025-05"))[0])
    assert "incomplete" not in head
    assert month_end.paper("2025-05").waiting == Waiting()


def test_trust_and_clusters_count_the_same_days_and_dollars(server: Flask) -> None:
    assert text(trust.draw_headline(View())[0]).endswith(ALLOCATIONS)
    assert (
        "Of 2 days no allocations of a cluster are delivered in full: who held $520 of its "
        "machines then is unknown, and in no figure here."
    ) in text(clusters.draw_headline(View()))


def test_the_answer_of_a_first_run_and_a_draft_say_it_too(marts: Marts, server: Flask) -> None:
    assert answer_so_far(marts.settings).known[-1] == f"{ALLOCATIONS} {BILL}"
    assert paper(marts.settings, "2025-09").waiting.text == ALLOCATIONS


def test_a_brief_says_what_waits_on_days_that_its_workload_does_not_count(server: Flask) -> None:
    whose = "These dollars are the company's, of days that {} does not count yet."
    assert f"{ALLOCATIONS} {whose.format('own')}" in brief("own").warnings
    said = f"{ALLOCATIONS} {BILL} {whose.format('atlas-7b')}"
    assert said in brief("atlas-7b").warnings
    with acting(Actor(Person("viv", (Grant("viewer", ("own",)),)), "10.0.0.7")):
        assert not any("waits" in line for line in brief("own").warnings)


def test_who_sees_some_workloads_alone_is_told_of_none_of_the_companys_dollars(
    server: Flask,
) -> None:
    with acting(Actor(Person("viv", (Grant("viewer", ("own",)),)), "10.0.0.7")):
        assert unsettled.waiting() == Waiting()
        assert not unsettled.waiting_of_month("2025-09").text
        assert "520" not in text(overview.draw_headline())
