"""Comparisons over marts that were really built: METHOD §8 A, and a run in two regions."""

from __future__ import annotations

import csv
import io
from decimal import Decimal

import pytest
from flask import Flask

from dashboard.address.view import View
from dashboard.pages.source import page as source
from dashboard.pages.trust import queries as trust_queries
from dashboard.snapshot.context import data_context
from dashboard.snapshot.rows_behind import source_rows
from dashboard.snapshot.rows_behind.numbers import DELIVERIES, ROWS_BEHIND
from dashboard.wording.explanations import EXPLAINED
from models.access.acting import Actor, acting, actor
from models.access.person import Grant, Person
from models.engine.source_lines import bill_lines, deliveries
from models.engine.source_lines.first_lines import FirstLines
from models.records import audit
from tests.support.dashboard.comparisons import groups
from tests.support.dashboard.text import text


def behind(number: str, **asked: object) -> FirstLines:
    with source_rows.bill_lines(ROWS_BEHIND[number], View.parse(asked)) as lines:
        return lines.first()


@pytest.mark.parametrize("number", {of: key for key, of in ROWS_BEHIND.items() if of.bill}.values())
def test_the_lines_behind_a_number_add_up_to_its_spend(server: Flask, number: str) -> None:
    """Nothing here is a Capacity Block's or in pods, so nothing is spread between lines."""
    found = behind(number, workload="atlas-7b", **{"from": "2025-09-01", "basis": "list"})
    assert found.spread in (0, None)
    assert found.count == len(found.rows)
    if found.count:
        assert found.lines is not None
        assert found.lines + found.elsewhere + found.idle == found.number


@pytest.mark.parametrize(
    "asked", [{}, {"workload": "atlas-7b"}, {"run": "atlas-7b/t1"}, {"month": "2025-09"}]
)
def test_every_number_says_how_it_is_made_whatever_is_asked(
    server: Flask, asked: dict[str, str]
) -> None:
    for number in EXPLAINED:
        told = text(source.draw_explanation(number, View.parse(asked)))
        assert "How it is computed" in told
        if number == "cumulative-net-savings" and "workload" in asked:
            assert "an epoch" in told


def test_the_title_names_the_month_and_the_workload_that_the_rows_are_of(server: Flask) -> None:
    """A number that no month or workload narrows names none, whatever the address has."""
    asked = View.parse({"month": "2025-05", "workload": "atlas-7b"})
    titles = {
        "the-month-by-workload": "The month by workload, May 2025, atlas-7b",
        "tie-out-to-the-bill": "Tie-out to the bill, May 2025",
        "gpu-workloads-not-yet-moved": "GPU workloads not yet moved",
        "ingest-log": "Ingest log",
    }
    for number, title in titles.items():
        assert f"{title} Effective" in text(source.draw_explanation(number, asked))
    newest = text(source.draw_explanation("the-month-by-workload", View()))
    assert "The month by workload, Oct 2025" in newest


def test_behind_trusts_tie_out_stand_the_months_of_its_range(server: Flask) -> None:
    """10 to 20 May touch May, whose bill is $5,250 of both GPU runs."""
    asked = {"from": "2025-05-10", "to": "2025-05-20"}
    inputs = source_rows.inputs(ROWS_BEHIND["tie-out"], View.parse(asked))
    assert (inputs["The bill, $"], inputs["Remainder, $"]) == (5250, 0)
    assert behind("tie-out", **asked).number == 5250
    every = trust_queries.tie_out(View())
    inputs = source_rows.inputs(ROWS_BEHIND["tie-out"], View())
    assert inputs["The bill, $"] == sum(row["bill_total"] for row in every) > 5250


def test_a_shared_line_stands_whole_behind_each_run_that_has_a_part_of_it(server: Flask) -> None:
    """t1 has 25 of September's 133.75 hours of runs, so that much of the $53.50 volume."""
    found = behind("what-a-run-cost", run="atlas-7b/t1")
    assert (found.count, found.lines, found.number) == (3, Decimal("453.5"), 410)
    assert found.elsewhere == Decimal("-43.5")
    assert {row["attribution"] for row in found.rows} == {"direct", "shared"}
    inputs = source_rows.inputs(ROWS_BEHIND["what-a-run-cost"], View.parse({"run": "atlas-7b/t1"}))
    assert inputs["Σ cost, $"] == found.number


def test_the_lines_behind_a_comparison_are_those_of_the_runs_that_count(server: Flask) -> None:
    found = behind("cost-per-unit-of-work-by-group")
    assert found.number == sum(row["cost"] for row in groups().values())
    assert "v1" not in {row["run"] for row in found.rows}


def test_a_scope_sees_what_is_behind_the_newest_month_of_its_workloads(server: Flask) -> None:
    """Its readers see no portfolio, whose newest month it is for everybody else."""
    asked = ROWS_BEHIND["saved-this-month"], View.parse({"workload": "atlas-7b"})
    everybody = source_rows.inputs(*asked)
    with acting(Actor(Person("viv", (Grant("viewer", ("atlas-*",)),)), "10.0.0.7")):
        assert source_rows.inputs(*asked) == everybody != {}


def test_the_file_of_source_rows_has_all_of_them(server: Flask) -> None:
    asked = "/csv/source/tie-out-to-the-bill?month=2025-05"
    body = server.test_client().get(asked).get_data(as_text=True)
    rows = list(csv.DictReader(io.StringIO(body)))
    assert sum(Decimal(row["billed_cost"]) for row in rows) == 5250
    assert {row["usage"] for row in rows} == {"BoxUsage:p4d.24xlarge"}
    assert server.test_client().get("/csv/source/unheard-of").status_code == 404


def test_whoever_fetches_source_rows_is_recorded_or_gets_none(server: Flask) -> None:
    with server.app_context():
        data = data_context().settings.data
    trail, kept = data / audit.FILE, len(audit.lines(data))
    asked = "/csv/source/tie-out-to-the-bill?month=2025-05"
    server.test_client().get(asked, environ_base={"REMOTE_ADDR": "127.0.0.9"})
    told = audit.lines(data)[kept:]
    assert [(line["what"], line["from"], line["address"], line["outcome"]) for line in told] == [
        ("export source rows", "127.0.0.9", asked, "begins"),
        ("export source rows", "127.0.0.9", asked, "done"),
    ]
    aside = trail.rename(trail.with_suffix(".aside"))
    trail.mkdir()
    try:
        answer = server.test_client().get(asked)
    finally:
        trail.rmdir()
        aside.rename(trail)
    assert answer.status_code == 503
    assert answer.get_data(as_text=True).startswith(f"cannot write {trail}: ")
    assert actor().origin == "command line"


def test_samples_prices_and_deliveries_stand_behind_numbers_too(server: Flask) -> None:
    of = ROWS_BEHIND["gpu-baseline"]
    view = View.parse({"workload": "atlas-7b"})
    samples = source_rows.delivered_rows("progress", of.samples, of, view)
    assert {row["run"] for row in samples.rows} == {"g1", "g2"}
    delivered = source_rows.delivered_rows("deliveries", "", DELIVERIES, view).rows
    assert {row["source"] for row in delivered} == {"focus", "progress_file", "prices"}


def test_the_first_of_many_rows_say_which_they_are(
    server: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bill_lines, "FIRST", 1)
    monkeypatch.setattr(deliveries, "FIRST", 1)
    told = text(source.draw_rows("gpu-baseline", View.parse({"workload": "atlas-7b"}), {}))
    assert "The first 1 of 10 rows, the largest first; the CSV has all." in told
    samples = "The first 1 of 4 rows, the oldest first; `breakeven export progress` has all"
    assert samples in told
