"""What the server answers to addresses: the pages in the menu, and files that there are not."""

from __future__ import annotations

from pathlib import Path

import pytest
from flask import Flask

from dashboard.api.api import add_api, api_server
from dashboard.server.app import sql
from dashboard.server.briefs import add_briefs
from dashboard.server.downloads import MIMES, add_downloads
from dashboard.server.page_list import PAGES
from dashboard.server.response_cache import add_response_cache
from dashboard.snapshot.context import attach_data
from models.config.loading import validated_settings
from models.documents.statement_files import KINDS


def test_the_menu_has_the_pages_in_their_order() -> None:
    menu = [options["path"] for _, options in PAGES if "carries" in options]
    assert menu == [
        "/",
        "/compare",
        "/runs",
        "/clusters",
        "/rates",
        "/decide",
        "/trust",
        "/finance",
    ]
    assert all({"from", "to"} <= {*options["carries"].split()} for _, options in PAGES[2:9])


def test_no_two_pages_share_an_address_or_a_title() -> None:
    for name in ("title", "name"):
        assert len({options[name] for _, options in PAGES}) == len(PAGES)
    assert all(callable(page.layout) for page, _ in PAGES)


def test_each_kind_of_statement_has_a_type() -> None:
    assert set(MIMES) == set(KINDS)


@pytest.fixture
def unbuilt(tmp_path: Path) -> Flask:
    """A server before the first build."""
    server = api_server()
    add_response_cache(server)
    warehouse = {"path": str(tmp_path / "warehouse.duckdb")}
    settings = validated_settings({"warehouse": warehouse}, home=tmp_path)
    attach_data(server, settings)
    add_downloads(server)
    add_briefs(server)
    add_api(server, settings)
    server.add_url_rule("/sql/<mart>", "sql", sql)
    return server


@pytest.mark.parametrize(
    "path",
    [
        "/statement/2026-13.xlsx",
        "/statement/2026-10.exe",
        "/statement/now.pdf",
        "/statement/2026-10.pdf?version=-1",
        "/statement/2026-10.pdf?version=newest",
    ],
)
def test_a_statement_that_there_is_not_is_one_line(unbuilt: Flask, path: str) -> None:
    answer = unbuilt.test_client().get(path)
    assert (answer.status_code, answer.text) == (404, "there is no such statement\n")


@pytest.mark.parametrize("number", ["nothing", "spot-prices"])
def test_a_number_without_lines_of_the_bill_has_no_file(unbuilt: Flask, number: str) -> None:
    answer = unbuilt.test_client().get(f"/csv/source/{number}")
    assert (answer.status_code, answer.mimetype) == (404, "text/plain")


@pytest.mark.parametrize(
    "path",
    [
        *("/csv/runs", "/csv/run_groups?group=recipe", "/csv/rates", "/csv/tie_out"),
        *("/csv/compare", "/statement/2026-10.pdf", "/brief.pdf?workload=atlas-7b", "/sql/runs"),
        *("/api/v1/statements/2026-10", "/api/v1/workloads/atlas-7b"),
    ],
)
def test_before_the_first_build_a_file_says_so_in_a_line(unbuilt: Flask, path: str) -> None:
    answer = unbuilt.test_client().get(path)
    assert answer.status_code == 503
    assert answer.text.count("\n") == 1
    assert "breakeven build" in answer.text
