"""Comparisons over marts that were really built: METHOD §8 A, and a run in two regions."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from decimal import Decimal

import pytest
from dash import html
from flask import Flask

from dashboard.address.view import View
from dashboard.pages.compare import page
from dashboard.pages.compare import queries as compare_queries
from dashboard.pages.compare.cost_per_epoch import per_epoch
from dashboard.snapshot.context import attach_data
from tests.conftest import migrated
from tests.support.dashboard.comparisons import groups
from tests.support.dashboard.text import text
from tests.support.world import Marts, World

SIDE_RUNS = "port, validation and benchmark runs, GPU runs with an unknown purpose"


def test_workloads_by_hardware_are_the_mart_to_the_last_digit(built: Marts, server: Flask) -> None:
    found = groups()
    for hardware in ("gpu", "trainium"):
        mart = built.row(
            """SELECT sum(cost) AS cost, sum(epochs) AS epochs, sum(runs) AS runs
               FROM cost_per_epoch WHERE period = 'month' AND hardware = ?""",
            hardware,
        )
        row = found["atlas-7b", hardware]
        assert (row["cost"], row["epochs"]) == (mart["cost"], mart["epochs"])
    assert per_epoch(found["atlas-7b", "gpu"]) == Decimal("262.5")
    assert found["atlas-7b", "trainium"]["cost"] == Decimal("1909.5")
    assert found["atlas-7b", "trainium"]["epochs"] == 21
    assert len(found) == 2


def test_the_epochs_of_a_run_in_two_regions_are_split_by_its_hours(server: Flask) -> None:
    found = groups(by="region", then="none", where="tag_team=research")
    assert {by: (row["cost"], row["epochs"]) for (by, _), row in found.items()} == {
        "us-east-1": (Decimal(172), Decimal(2)),
        "us-west-2": (Decimal(200), Decimal(4)),
    }
    whole = groups(by="region", then="purchase_option").values()
    assert sum(row["cost"] for row in whole) == sum(row["cost"] for row in groups().values())
    assert sum(row["epochs"] for row in whole) == sum(row["epochs"] for row in groups().values())


def test_side_runs_stand_only_where_purposes_are_told_apart(server: Flask) -> None:
    found = groups(by="purpose", then="tag_team")
    assert found["validation", None]["cost"] == Decimal(164)
    assert found["production", "research"]["cost"] == Decimal(372)
    left = compare_queries.comparison_left_out(View())
    assert (left["found"], left["counted"]) == (8, 6)
    why = "runs without accelerator-hours, of unknown cost, or of work not counted in their unit."
    assert f"2 left out: {SIDE_RUNS}, and {why}" in said(View())
    assert f"1 left out: {why}" in said(View(by="purpose"))
    assert "1 run, none left out." in said(View(where=("purpose=validation",)))


def said(view: View) -> str:
    return text(html.Div(page.draw(view)[0]))


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    """METHOD §8 A twice over, each with a run on Trainium and one on GPU that are not as they were.

    `astray`: x1 and x2 of a purpose that nobody knows, and the baseline b1 on Trainium.
    `uncounted`: x1 counts tokens and no epochs, and x2 never reported.
    """
    world = migrated(migrated(World(tmp_path_factory.mktemp("odd")), "astray"), "uncounted")
    for run, machine, rate in (("x1", "trn1.32xlarge", 90), ("x2", "p4d.24xlarge", "2.5")):
        tags = {"workload": "astray", "run": f"a-{run}", "purpose": "prodution"}
        world.hours("2025-09-22T00:00:00", 10, machine, 90, tags)
        for hour, epoch in ((0, 0), (10, 3)):
            at = f"2025-09-22T{hour:02}:00:00"
            world.sample(at, f"a-{run}", epoch, workload="astray", loss=1.5)
        tags = {"workload": "uncounted", "run": run}
        world.hours("2025-09-22T00:00:00", 10, machine, rate, tags)
    for hour in (0, 10):
        at = f"2025-09-22T{hour:02}:00:00"
        world.sample(at, "x1", None, workload="uncounted", tokens=hour * 10**9)
    baseline = {"workload": "astray", "purpose": "baseline"}
    world.run("b1", "trn1.32xlarge", "2025-09-24T00:00:00", 10, 16, 2, **baseline)
    return world.build(tags={"extra": ["purpose", "recipe", "team"]})


@pytest.fixture
def odd_server(odd: Marts) -> Iterator[Flask]:
    server = Flask("odd")
    attach_data(server, odd.settings)
    with server.app_context():
        yield server


def test_a_run_for_nobody_knows_what_counts_as_in_the_mart(odd: Marts, odd_server: Flask) -> None:
    """On Trainium with its cost, on GPU not at all: 1,500 + 900 + 160, for 15 + 3 + 2 epochs."""
    of = "workload=astray"
    found = groups(by="hardware", then="none", where=of)
    assert f"7 runs; 1 left out: {SIDE_RUNS}, and runs" in said(View(where=(of,)))
    assert "8 runs, none left out." in said(View(where=(of,), by="purpose"))
    assert {by: (row["cost"], row["epochs"]) for (by, _), row in found.items()} == {
        "gpu": (5250, 20),
        "trainium": (2560, 20),
    }
    marts = odd.rows(
        "SELECT hardware, cost FROM cost_per_epoch WHERE period = 'month' AND workload = 'astray'"
    )
    assert sum(row["cost"] for row in marts) == 5250 + 2560


def test_a_run_whose_work_its_unit_does_not_count_is_in_no_group(
    odd: Marts, odd_server: Flask
) -> None:
    """$900 of tokens beside $1,500 of 15 epochs, and a GPU run of $25 that never reported."""
    mine = "workload=uncounted"
    for of in ("hardware", "region"):
        then = "hardware" if of == "region" else "none"
        found = groups(by=of, then=then, where=mine).values()
        assert [(row["cost"], row["epochs"]) for row in found] == [(5250, 20), (1500, 15)], of
    assert f"5 runs; 2 left out: {SIDE_RUNS}, and runs" in said(View(where=(mine,)))
    left_out = "SELECT run FROM runs ANTI JOIN counted_runs USING (workload, run) ORDER BY run"
    assert odd.rows(f"SELECT run FROM ({left_out}) WHERE NOT starts_with(run, 'a-')") == [
        {"run": "x1"}, {"run": "x2"},
    ]  # fmt: skip


def test_list_prices_are_another_basis(server: Flask) -> None:
    found = groups(by="hardware", then="none", basis="list")
    assert found["gpu", None]["cost"] == Decimal("6882.246")


def test_what_an_address_names_wrongly_is_the_default(server: Flask) -> None:
    assert groups(by='"; DROP', then="tag_unheard", where="tag_unheard=x") == groups(
        then="none", where="nothing"
    )


def test_the_file_is_what_the_grid_shows(server: Flask) -> None:
    client = server.test_client()
    body = client.get("/csv/compare?by=tag_team&then=hardware").get_data(as_text=True)
    rows = {(row["team"], row["Hardware"]): row for row in csv.DictReader(io.StringIO(body))}
    assert rows["research", "Trainium"]["$ per epoch"] == "62.00"
    assert rows["not set", "GPU"]["Cost, $"] == "5250.00"
    pivot = client.get("/csv/compare?by=tag_team&then=hardware&layout=pivot").get_data(as_text=True)
    assert pivot.splitlines() == [
        'team,"GPU, $ per epoch","Trainium, $ per epoch"',
        "not set,262.50,102.50",
        "research,,62.00",
    ]


def test_a_run_that_nothing_was_charged_to_has_a_list_price_of_nothing(world: World) -> None:
    """It resumes a run and only reports: §8 A costs 6,882.246 + 2,015.625 at list."""
    migrated(world)
    for hour, epoch in ((0, 6), (10, 8)):
        at = f"2025-09-20T{hour:02}:00:00"
        world.sample(at, "t4", epoch, loss=1.5, resumed_from="t3")
    server = Flask("resumed")
    attach_data(server, world.build().settings)
    with server.app_context():
        paid, listed = (
            groups(by="workload", then="none", basis=basis)["atlas-7b", None]
            for basis in ("configured", "list")
        )
    assert (paid["runs"], paid["cost"]) == (6, 6750)
    assert (listed["runs"], listed["cost"]) == (6, Decimal("8897.871"))


@pytest.mark.usefixtures("server")
def test_list_prices_are_named_as_the_basis_that_the_page_shows() -> None:
    assert "Effective cost" in said(View())
    listed = said(View(basis="list"))
    assert "List cost" in listed
    assert "Effective cost" not in listed
