"""Comparisons over marts that were really built: METHOD §8 A, and a run in two regions."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from decimal import Decimal

import pytest
from flask import Flask

from dashboard import queries
from dashboard.comparison import per_epoch
from dashboard.door import open_door
from dashboard.files import add_files
from dashboard.view import View
from tests.conftest import migrated
from tests.dashboard.days import Row
from tests.world import Marts, World

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
    return world.build(tags={"extra": ["team"]})


@pytest.fixture
def server(built: Marts) -> Iterator[Flask]:
    server = Flask("comparison")
    open_door(server, built.settings)
    add_files(server)
    with server.app_context():
        yield server


def groups(**asked: object) -> dict[Key, Row]:
    return {(row["by"], row["then"]): row for row in queries.comparison(View.parse(asked))}


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
    assert found["atlas-7b", "trainium"]["cost"] == Decimal(1860)
    assert found["atlas-7b", "trainium"]["epochs"] == 21
    assert len(found) == 2


def test_the_epochs_of_a_run_in_two_regions_are_split_by_its_hours(server: Flask) -> None:
    found = groups(by="region", then="none", where="tag_team=research")
    assert {by: (row["cost"], row["epochs"]) for (by, _), row in found.items()} == {
        "us-east-1": (Decimal(160), Decimal(2)),
        "us-west-2": (Decimal(200), Decimal(4)),
    }
    whole = groups(by="region", then="purchase_option").values()
    assert sum(row["cost"] for row in whole) == sum(row["cost"] for row in groups().values())
    assert sum(row["epochs"] for row in whole) == sum(row["epochs"] for row in groups().values())


def test_side_runs_stand_only_where_purposes_are_told_apart(server: Flask) -> None:
    found = groups(by="purpose", then="tag_team")
    assert found["validation", None]["cost"] == Decimal(160)
    assert found["production", "research"]["cost"] == Decimal(360)
    left = queries.comparison_left_out(View())
    assert (left["found"], left["counted"]) == (8, 6)


def test_list_prices_are_another_basis(server: Flask) -> None:
    found = groups(by="hardware", then="none", basis="list")
    assert found["gpu", None]["cost"] == Decimal("6882.246")


def test_what_an_address_names_wrongly_is_the_default(server: Flask) -> None:
    assert groups(by='"; DROP', then="tag_unheard", where="tag_unheard=x") == groups(
        then="none", where="nothing"
    )


def test_the_file_is_what_the_grid_shows(server: Flask) -> None:
    client = server.test_client()
    text = client.get("/csv/compare?by=tag_team&then=hardware").get_data(as_text=True)
    rows = {(row["team"], row["Hardware"]): row for row in csv.DictReader(io.StringIO(text))}
    assert rows["research", "Trainium"]["$ per epoch"] == "60.00"
    assert rows["not set", "GPU"]["Cost, $"] == "5250.00"
    pivot = client.get("/csv/compare?by=tag_team&then=hardware&layout=pivot").get_data(as_text=True)
    assert pivot.splitlines() == [
        'team,"GPU, $ per epoch","Trainium, $ per epoch"',
        "not set,262.50,100.00",
        "research,,60.00",
    ]


def test_rates_are_cost_over_hours_beside_list_over_the_same_hours(server: Flask) -> None:
    rows = {(row["platform"], str(row["period_start"])): row for row in queries.rates(View())}
    gpu, trn = rows["p4d", "2025-05-01"], rows["trn1", "2025-09-01"]
    assert (gpu["hours"], gpu["cost"], gpu["list"]) == (1680, 5250, Decimal("6882.246"))
    assert (gpu["hardware"], trn["hardware"]) == ("gpu", "trainium")
    assert trn["hours"] == (Decimal("93.75") + 40) * 16
    assert trn["cost"] == Decimal(2020)
    (change,) = (r for r in queries.list_price_changes(View()) if r["region"] == "us-east-1")
    assert (change["instance_type"], str(change["since"])) == ("p4d.24xlarge", "2025-06-01")
    assert (change["previous_usd_per_hour"], change["usd_per_hour"]) == (
        Decimal("32.7726"),
        Decimal("21.957642"),
    )
    (september,) = (row for row in queries.coverage(View()) if row["month"] == "2025-09")
    assert (september["on_demand"], september["hours"]) == (trn["hours"], trn["hours"])


def test_the_tie_out_of_a_month_is_the_sum_of_its_accounts(built: Marts, server: Flask) -> None:
    (may,) = (row for row in queries.tie_out(View()) if row["month"] == "2025-05")
    assert (may["direct"], may["bill_total"], may["remainder"]) == (5250, 5250, 0)
    assert (may["unheld"], may["sources"]) == (0, ["self_check"])
    assert queries.untagged_share() == {"untagged": None, "cost": Decimal(7270)}
