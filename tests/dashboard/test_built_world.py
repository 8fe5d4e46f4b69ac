"""Comparisons over marts that were really built: METHOD §8 A, and a run in two regions."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest
from flask import Flask

from dashboard.address.view import View
from dashboard.pages.compare import queries as compare_queries
from dashboard.pages.compare.cost_per_epoch import per_epoch
from dashboard.pages.decide import queries as decide_queries
from dashboard.pages.decide.assumptions import Assumptions
from dashboard.pages.decide.ranking.prospects import shares
from dashboard.pages.overview import queries as overview_queries
from dashboard.pages.rates import queries as rates_queries
from dashboard.pages.source import page as source
from dashboard.pages.trust import queries as trust_queries
from dashboard.server.downloads import add_files
from dashboard.snapshot import source_rows
from dashboard.snapshot.context import attach_data
from dashboard.snapshot.rows_behind_numbers import BEHIND, DELIVERIES
from dashboard.wording.explanations import EVERY
from models.engine import source_lines
from models.engine.source_lines import Found
from tests.conftest import migrated
from tests.support.dashboard.days import Row
from tests.support.dashboard.text import text
from tests.support.world import Marts, World

Key = tuple[str | None, str | None]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    world = migrated(World(tmp_path_factory.mktemp("world")))
    tags = {"workload": "atlas-7b", "run": "t4", "team": "research"}
    world.hours("2025-09-20T00:00:00", 10, "trn1.32xlarge", 16, tags)
    world.hours("2025-09-21T00:00:00", 20, "trn1.32xlarge", 10, tags, RegionId="us-west-2")
    for at, epoch in (("2025-09-20T00:00:00", 0), ("2025-09-21T20:00:00", 6)):
        world.sample(at, "t4", epoch, loss=1.5)
    world.run("v1", "trn1.32xlarge", "2025-09-25T00:00:00", 10, 16, 1, purpose="validation")
    world.sample("2025-09-26T00:00:00", "ghost", 0, loss=1.5)
    world.sample("2025-09-27T00:00:00", "ghost", 3, loss=1.5)
    volume = {"x_UsageType": "EBS:VolumeUsage.gp3", "tags": {"workload": "atlas-7b"}}
    world.charge("2025-09-03T00:00:00", "53.50", **volume)
    return world.build(tags={"extra": ["team"]})


@pytest.fixture
def server(built: Marts) -> Iterator[Flask]:
    server = Flask("comparison")
    attach_data(server, built.settings)
    add_files(server)
    with server.app_context():
        yield server


def groups(**asked: object) -> dict[Key, Row]:
    return {(row["by"], row["then"]): row for row in compare_queries.comparison(View.parse(asked))}


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


def test_a_run_for_nobody_knows_what_counts_as_in_the_mart(tmp_path: Path) -> None:
    """On Trainium with its cost, on GPU not at all: 1,500 + 900 + 160, for 15 + 3 + 2 epochs."""
    world = migrated(World(tmp_path))
    for run, machine in (("x1", "trn1.32xlarge"), ("x2", "p4d.24xlarge")):
        tags = {"workload": "atlas-7b", "run": run, "purpose": "prodution"}
        world.hours("2025-09-22T00:00:00", 10, machine, 90, tags)
        for hour, epoch in ((0, 0), (10, 3)):
            world.sample(f"2025-09-22T{hour:02}:00:00", run, epoch, loss=1.5)
    world.run("b1", "trn1.32xlarge", "2025-09-24T00:00:00", 10, 16, 2, purpose="baseline")
    built = world.build(tags={"extra": ["purpose"]})
    server = Flask("astray")
    attach_data(server, built.settings)
    with server.app_context():
        found = groups(by="hardware", then="none")
    assert {by: (row["cost"], row["epochs"]) for (by, _), row in found.items()} == {
        "gpu": (5250, 20),
        "trainium": (2560, 20),
    }
    marts = built.rows("SELECT hardware, cost FROM cost_per_epoch WHERE period = 'month'")
    assert sum(row["cost"] for row in marts) == 5250 + 2560


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


def test_rates_are_cost_over_hours_beside_list_over_the_same_hours(server: Flask) -> None:
    rows = {(row["platform"], str(row["period_start"])): row for row in rates_queries.rates(View())}
    gpu, trn = rows["p4d", "2025-05-01"], rows["trn1", "2025-09-01"]
    assert (gpu["hours"], gpu["cost"], gpu["list"]) == (1680, 5250, Decimal("6882.246"))
    assert (gpu["hardware"], trn["hardware"]) == ("gpu", "trainium")
    assert trn["hours"] == (Decimal("93.75") + 40) * 16
    assert trn["cost"] == Decimal(2020)
    (change,) = (r for r in rates_queries.list_price_changes(View()) if r["region"] == "us-east-1")
    assert (change["instance_type"], str(change["since"])) == ("p4d.24xlarge", "2025-06-01")
    assert (change["previous_usd_per_hour"], change["usd_per_hour"]) == (
        Decimal("32.7726"),
        Decimal("21.957642"),
    )
    (september,) = (row for row in rates_queries.coverage(View()) if row["month"] == "2025-09")
    assert (september["on_demand"], september["hours"]) == (trn["hours"], trn["hours"])


def test_the_tie_out_of_a_month_is_the_sum_of_its_accounts(built: Marts, server: Flask) -> None:
    (may,) = (row for row in trust_queries.tie_out(View()) if row["month"] == "2025-05")
    assert (may["direct"], may["bill_total"], may["remainder"]) == (5250, 5250, 0)
    assert (may["unheld"], may["sources"]) == (0, ["self_check"])
    assert trust_queries.untagged_share() == {"untagged": None, "cost": Decimal(7270)}


def behind(number: str, **asked: object) -> Found:
    with source_rows.bill_lines(BEHIND[number], View.parse(asked)) as lines:
        return lines.found()


@pytest.mark.parametrize("number", {of: key for key, of in BEHIND.items() if of.spend}.values())
def test_the_lines_behind_a_number_add_up_to_its_spend(server: Flask, number: str) -> None:
    """Nothing here is a Capacity Block's or in pods, so nothing is spread between lines."""
    found = behind(number, workload="atlas-7b", **{"from": "2025-09-01", "basis": "list"})
    assert found.spread in (0, None)
    assert found.count == len(found.rows)
    if found.count:
        assert found.lines is not None
        assert found.lines + found.elsewhere == found.number


def test_a_shared_line_stands_whole_behind_each_run_that_has_a_part_of_it(server: Flask) -> None:
    """t1 has 25 of September's 133.75 hours of runs, so that much of the $53.50 volume."""
    found = behind("what-a-run-cost", run="atlas-7b/t1")
    assert (found.count, found.lines, found.number) == (3, Decimal("453.5"), 410)
    assert found.elsewhere == Decimal("-43.5")
    assert {row["attribution"] for row in found.rows} == {"direct", "shared"}
    inputs = source_rows.inputs(BEHIND["what-a-run-cost"], View.parse({"run": "atlas-7b/t1"}))
    assert inputs["Σ cost, $"] == found.number


def test_the_lines_behind_a_comparison_are_those_of_the_runs_that_count(server: Flask) -> None:
    found = behind("cost-per-epoch-by-group")
    assert found.number == sum(row["cost"] for row in groups().values())
    assert "v1" not in {row["run"] for row in found.rows}


def test_the_file_of_source_rows_has_all_of_them(server: Flask) -> None:
    body = server.test_client().get("/csv/source/tie-out?month=2025-05").get_data(as_text=True)
    rows = list(csv.DictReader(io.StringIO(body)))
    assert sum(Decimal(row["billed_cost"]) for row in rows) == 5250
    assert {row["usage"] for row in rows} == {"BoxUsage:p4d.24xlarge"}
    assert server.test_client().get("/csv/source/unheard-of").status_code == 404


def test_samples_prices_and_deliveries_stand_behind_numbers_too(server: Flask) -> None:
    of = BEHIND["gpu-baseline"]
    view = View.parse({"workload": "atlas-7b"})
    samples = source_rows.delivered_rows("progress", of.samples, of, view)
    assert {row["run"] for row in samples.rows} == {"g1", "g2"}
    delivered = source_rows.delivered_rows("deliveries", "", DELIVERIES, view).rows
    assert {row["source"] for row in delivered} == {"focus", "progress_file", "prices"}


def test_the_first_of_many_rows_say_which_they_are(
    server: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_lines, "FIRST", 1)
    told = text(source.draw_rows("gpu-baseline", View.parse({"workload": "atlas-7b"}), {}))
    assert "The first 1 of 10 rows, the largest first; the CSV has all." in told
    samples = "The first 1 of 4 rows, the oldest first; `breakeven export progress` has all"
    assert samples in told


def test_every_explanation_has_rows_and_a_name_of_its_own() -> None:
    assert len({of.key for of in EVERY}) == len(EVERY)
    assert {of.key for of in EVERY} == set(BEHIND)


def test_a_tag_that_is_not_activated_never_passes_for_a_move_not_begun(world: World) -> None:
    """Progress names a workload, all of the bill stands under no tag: nothing is judged."""
    world.hours("2025-09-02T00:00:00", 10, "trn1.32xlarge", 16, {})
    world.hours("2025-09-02T00:00:00", 10, "p4d.24xlarge", 25, {})
    world.sample("2025-09-02T00:00:00", "t1", 0)
    world.sample("2025-09-02T10:00:00", "t1", 2)
    world.charge("2025-10-30T00:00:00", 1)
    marts = world.build()
    said = (
        "no production Trainium run has settled yet; "
        "but $160.00 (effective) of Trainium spend names no run or workload"
    )
    told = marts.rows("SELECT workload, status, reason FROM break_even ORDER BY 1")
    assert [tuple(row.values()) for row in told] == [
        ("(portfolio)", "not_started", said),
        ("atlas-7b", "not_started", said),
    ]
    app = Flask("untagged")
    attach_data(app, marts.settings)
    with app.app_context():
        assert not overview_queries.anything_tagged()
        spend = {row["hardware"]: row["cost"] for row in overview_queries.untagged_hardware()}
    assert spend == {"gpu": 250, "trainium": 160}


def test_a_move_that_loses_all_it_costs_is_among_those_that_moved(tmp_path: Path) -> None:
    """Four epochs at $60, with a worse loss: $240 lost of what would have cost $400 on GPU."""
    world = World(tmp_path)
    for workload, rate, loss in (("gains", 10, 1.5), ("loses", 10, 1.9)):
        for run, day in (("g1", "01"), ("g2", "07")):
            start = f"2025-05-{day}T00:00:00"
            world.run(run, "p4d.24xlarge", start, 100, 10, 10, workload=workload)
        start = "2025-09-01T00:00:00"
        world.run("t", "trn1.32xlarge", start, 24, rate, 4, workload=workload, loss=loss)
    world.charge("2025-10-30T00:00:00", 1, x_UsageType="Requests-Tier1")
    server = Flask("moved")
    attach_data(server, world.build(baseline={"method": "measured"}).settings)
    with server.app_context():
        found = shares(decide_queries.moved_shares(), Assumptions())
    assert found == (Decimal("-0.6"), Decimal("-0.1"), Decimal("0.4"))
