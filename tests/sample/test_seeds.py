"""The price and accelerator seeds: what they hold, what they must not hold, how they are made."""

import csv
import importlib.util
from datetime import date
from pathlib import Path
from types import ModuleType

import pytest

DATA = Path(__file__).parents[2] / "data"
PUBLIC = DATA.parent / "tests" / "fixtures" / "public" / "seeds"

Row = dict[str, str]


def read(name: str) -> list[Row]:
    """The rows of a seed."""
    with (DATA / name).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def prices() -> list[Row]:
    """The rows of the price seed."""
    return read("prices.csv")


@pytest.fixture(scope="module")
def make_seeds() -> ModuleType:
    """The script that makes both seeds."""
    spec = importlib.util.spec_from_file_location("make_seeds", DATA / "make_seeds.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def in_force(prices: list[Row], instance_type: str, region: str, day: str) -> str | None:
    """The on-demand price on a day."""
    known = [
        (row["effective_from"], row["usd_per_hour"])
        for row in prices
        if (row["instance_type"], row["region"], row["purchase_option"])
        == (instance_type, region, "on_demand")
        and row["effective_from"] <= day
    ]
    return max(known)[1] if known else None


def test_both_seeds_are_made_again_from_the_public_data(
    make_seeds: ModuleType, tmp_path: Path
) -> None:
    make_seeds.make_seeds(PUBLIC, tmp_path)
    for name in ("accelerators.csv", "prices.csv"):
        assert (tmp_path / name).read_bytes() == (DATA / name).read_bytes()


def test_each_row_is_one_observation(prices: list[Row]) -> None:
    keys = [
        (row["instance_type"], row["region"], row["purchase_option"], row["observed_on"])
        for row in prices
    ]
    assert len(keys) == len(set(keys))
    assert all(row["effective_from"] <= row["observed_on"] for row in prices)
    assert all(row["source"] for row in prices)


def test_trn2_and_p5e_have_no_on_demand_price(prices: list[Row]) -> None:
    families = ("trn2.", "trn2u.", "p5e.")
    options = {
        row["purchase_option"] for row in prices if row["instance_type"].startswith(families)
    }
    assert options == {"capacity_block"}


def test_every_priced_type_is_in_the_catalogue(prices: list[Row]) -> None:
    known = {row["instance_type"] for row in read("accelerators.csv")}
    assert {row["instance_type"] for row in prices} <= known


def test_hardware_and_platform_follow_from_the_instance_type() -> None:
    found = {
        row["instance_type"]: (row["platform"], row["hardware"]) for row in read("accelerators.csv")
    }
    assert found["trn2u.48xlarge"] == ("trn2u", "trainium")
    assert found["p6-b200.48xlarge"] == ("p6-b200", "gpu")
    assert found["inf2.xlarge"] == ("inf2", "inferentia")


@pytest.mark.parametrize(
    ("instance_type", "before", "after"),
    [
        ("p4d.24xlarge", "32.7726", "21.957642"),
        ("p4de.24xlarge", "40.96575", "27.44705"),
        ("p5.48xlarge", "98.32", "55.04"),
        ("p5en.48xlarge", "84.8", "63.296"),
    ],
)
def test_the_cut_of_june_2025_counts_from_its_announced_day(
    prices: list[Row], instance_type: str, before: str, after: str
) -> None:
    assert in_force(prices, instance_type, "us-east-1", "2025-05-31") == before
    assert in_force(prices, instance_type, "us-east-1", "2025-06-01") == after


def test_before_it_was_first_seen_a_price_is_unknown(prices: list[Row]) -> None:
    assert in_force(prices, "p4d.24xlarge", "us-west-2", "2025-11-29") is None
    assert in_force(prices, "p4d.24xlarge", "us-west-2", "2025-11-30") == "21.95764"


def test_a_local_zone_is_a_region_of_its_own(prices: list[Row]) -> None:
    regions = {row["region"] for row in prices if row["instance_type"] == "p6-b300.48xlarge"}
    assert "us-east-1-atl-2a" in regions


@pytest.mark.parametrize(
    ("instance_type", "old", "new", "effective"),
    [
        ("p5.48xlarge", "40", "30", date(2026, 2, 1)),
        ("p5.48xlarge", "30", "40", date(2026, 7, 1)),
        ("trn1.32xlarge", "20", "10", date(2026, 7, 1)),
        ("trn1.32xlarge", "10", "20", date(2026, 2, 1)),
    ],
)
def test_an_undated_change_takes_the_bound_that_claims_less(
    make_seeds: ModuleType, instance_type: str, old: str, new: str, effective: date
) -> None:
    series = make_seeds.Series(instance_type, "us-east-1", "capacity_block")
    first = make_seeds.Observation(date(2026, 1, 31), make_seeds.Decimal(old), "seen")
    second = make_seeds.Observation(date(2026, 7, 1), make_seeds.Decimal(new), "seen")
    assert make_seeds.effective_after_change(series, first, second) == effective
