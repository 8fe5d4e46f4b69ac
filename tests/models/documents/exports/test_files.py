"""Exports: every column, exact money, null for unknown, whole files or none."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from models.config.settings import Settings
from models.contract import schema
from models.contract.errors import ConfigError, MissingDataError, StorageError
from models.documents.exports import export
from models.documents.exports.extract import check
from models.documents.spreadsheet_text import inert
from tests.support.world import ACCOUNT, World

Read = Callable[..., Any]


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Delivered twice, with what is awkward: an umlaut, a comma, a loss that is no number."""
    world = World(tmp_path_factory.mktemp("exports"))
    world.config["tags"] = {"extra": ["team"]}
    world.run("g1", "p4d.24xlarge", "2025-05-02T00:00:00", 100, 25, 10)
    world.run("g2", "p4d.24xlarge", "2025-05-12T00:00:00", 110, 25, 10)
    world.run("t1", "trn1.32xlarge", "2025-09-02T00:00:00", 25, 16, 4)
    world.run("=u1", "trn1.32xlarge", "2025-09-02T00:00:00", 25, 16, 4, workload='ü "x", y')
    world.sample("2025-09-05T00:00:00", "n1", 0, loss="nan")
    world.charge("2025-10-30T00:00:00", "0.000000001", SubAccountId="999900000002")
    world.pulled()
    world.charge("2025-10-30T00:00:00", 1)
    return world.build().settings


@pytest.fixture
def read(config: Settings, tmp_path: Path) -> Read:
    def reading(name: str, month: str | None = None) -> list[dict[str, Any]]:
        file = tmp_path / "out.json"
        export.write(config, name, month, "json", file)
        rows: list[dict[str, Any]] = json.loads(file.read_text(), parse_constant=_refuse)
        return rows

    return reading


EMPTY = ("benchmarks", "pools", "allocation_coverage")
"""Marts of which the world has no rows: nothing is benchmarked, and no machine is shared."""


def _refuse(constant: str) -> object:
    raise ValueError(f"{constant} is not JSON")


@pytest.mark.parametrize("name", [*schema.MARTS, "charges", "progress", "prices"])
def test_every_column_is_always_present(config: Settings, read: Read, name: str) -> None:
    tables = {**schema.MARTS, "charges": schema.CHARGES, "progress": schema.PROGRESS}
    columns = schema.with_tags({**tables, "prices": schema.PRICES}[name], config.tags.extra)
    rows = read(name)
    assert bool(rows) == (name not in EMPTY)
    for row in rows:
        assert list(row) == list(columns)


def test_what_a_page_explains_a_number_with_can_be_taken_along(read: Read) -> None:
    """Published tables that are no marts: such as the periods in which jobs held too much."""
    assert read("over_allocated_periods") == []
    assert {"workload", "lineage"} <= set(read("baseline_runs")[0])


def test_money_is_text_counts_are_numbers_dates_are_iso_unknown_is_null(read: Read) -> None:
    standing = {row["workload"]: row for row in read("break_even")}["atlas-7b"]
    assert standing["cumulative_net_saving"] == "303.50"
    assert standing["roi"] is None
    assert standing["break_even_date"] is None
    assert standing["left_out"] is None
    day = next(row for row in read("savings_daily") if row["date"] == "2025-09-02")
    assert (day["settled"], day["epochs"]) == (True, 3.84)
    run = next(row for row in read("runs") if row["run"] == "t1")
    assert (run["flags"], run["cost"], run["accelerator_hours"]) == ([], "400.00", 400)
    assert run["started_at"] == "2025-09-02T00:00:00"
    assert read("cost_per_epoch")[0]["runs"] == 2


def test_maps_are_objects_of_reasons_and_decimal_text(read: Read) -> None:
    flagged = [row["flagged"] for row in read("break_even") if row["workload"].startswith("ü")]
    assert flagged == [None]
    named = {key for row in read("monthly_summary") for key in row["left_out"] or {}}
    assert named == {"not_comparable"}


def test_a_loss_that_is_no_number_is_null_in_json(read: Read) -> None:
    """`NaN` is not JSON: no reader but Python's takes it."""
    assert [row["loss"] for row in read("progress_daily") if row["run"] == "n1"] == [None]


def test_csv_says_the_same_as_json(config: Settings, read: Read, tmp_path: Path) -> None:
    file = tmp_path / "out.csv"
    export.write(config, "savings_daily", None, "csv", file)
    assert b"\r" not in file.read_bytes()
    with file.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    other = read("savings_daily")
    assert len(rows) == len(other)
    for line, row in zip(rows, other, strict=True):
        for name, value in row.items():
            text = "" if value is None else str(value).lower() if value in (True, False) else value
            assert line[name] == str(text) or Decimal(line[name]) == Decimal(str(text)), name
    assert any(row["workload"] == 'ü "x", y' for row in rows)


def test_no_name_becomes_a_formula_in_csv(config: Settings, read: Read, tmp_path: Path) -> None:
    file = tmp_path / "out.csv"
    export.write(config, "runs", None, "csv", file)
    with file.open(encoding="utf-8", newline="") as lines:
        assert "'=u1" in {row["run"] for row in csv.DictReader(lines)}
    assert "=u1" in {row["run"] for row in read("runs")}


@pytest.mark.parametrize(
    ("name", "cell"),
    [
        ("+a", "'+a"),
        ("-a", "'-a"),
        ("@SUM(1)", "'@SUM(1)"),
        ("\t=1", "' =1"),
        ("a=1", "a=1"),
        ("-12.30", "-12.30"),
        ("a\x07b", "a b"),
    ],
)
def test_a_name_is_text_and_a_number_stays_one(name: str, cell: str) -> None:
    assert inert(name) == cell


def test_parquet_keeps_the_types(config: Settings, tmp_path: Path) -> None:
    file = tmp_path / "out.parquet"
    export.write(config, "spend_daily", "2025-09", "parquet", file)
    found = pq.read_table(file)
    assert str(found.schema.field("effective_cost").type) == "decimal128(38, 9)"
    assert str(found.schema.field("date").type).startswith("date32")
    assert {f"{value:%Y-%m}" for value in found.column("date").to_pylist()} == {"2025-09"}


def test_a_month_is_the_months_rows(read: Read) -> None:
    assert {row["month"] for row in read("monthly_summary", "2025-09")} == {"2025-09"}
    assert {row["date"][:7] for row in read("baselines", "2025-09")} == {"2025-09"}
    assert {row["BillingPeriodStart"] for row in read("charges", "2025-05")} == {"2025-05-01"}


def test_a_month_of_restatements_is_that_billing_months(config: Settings, read: Read) -> None:
    (row,) = read("restatements", "2025-10")
    assert (row["account"], row["old_billed"], row["billed_change"]) == (ACCOUNT, "0.00", "1.00")
    with pytest.raises(MissingDataError, match=r"2025-09 \(there are 2025-10 to 2025-10"):
        export.write(config, "restatements", "2025-09", "csv", None)


def test_a_month_without_rows_says_which_there_are(config: Settings) -> None:
    with pytest.raises(MissingDataError, match="there are 2025-05 to 2025-10"):
        export.write(config, "monthly_summary", "2031-01", "csv", None)


@pytest.mark.parametrize("name", ["monthly_sumary", "monthly-summary", "x"])
def test_a_name_that_is_none_gets_the_nearest(config: Settings, name: str) -> None:
    with pytest.raises(ConfigError, match="nothing of this name can be exported") as caught:
        export.write(config, name, None, "csv", None)
    assert "\n" not in str(caught.value)


def test_whatever_has_months_or_days_is_exported_by_month(read: Read) -> None:
    """ARCHITECTURE §4: `--month` is for any mart; pools have a row a month, as the tie-out has."""
    for name, columns in {**schema.MARTS, **schema.EXPLAINERS}.items():
        if {"month", "date"} & {*columns}:
            check(name, "2025-09")
    assert {row["month"] for row in read("month_facts", "2025-09")} == {"2025-09"}
    assert {row["date"][:7] for row in read("judged_daily", "2025-09")} == {"2025-09"}


def test_what_has_no_months_refuses_one(config: Settings) -> None:
    with pytest.raises(ConfigError, match="leave --month out"):
        export.write(config, "break_even", "2025-09", "csv", None)


@pytest.mark.parametrize("kind", ["csv", "json", "parquet"])
def test_a_folder_that_is_not_there_leaves_nothing(
    config: Settings, tmp_path: Path, kind: str
) -> None:
    with pytest.raises(StorageError, match="no such folder"):
        export.write(config, "runs", None, kind, tmp_path / "none" / "out")
    with pytest.raises(StorageError):
        export.write(config, "runs", None, kind, tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["csv", "json", "parquet"])
def test_an_older_file_stays_when_the_export_fails(
    config: Settings, tmp_path: Path, kind: str
) -> None:
    (tmp_path / "out").write_text("older")
    with pytest.raises(MissingDataError):
        export.write(config, "tie_out", "2031-01", kind, tmp_path / "out")
    assert [file.read_text() for file in tmp_path.iterdir()] == ["older"]


def test_before_the_first_build_the_remedy_is_to_build(tmp_path: Path) -> None:
    world = World(tmp_path)
    with pytest.raises(MissingDataError, match="breakeven build"):
        export.write(world.settings(), "runs", None, "csv", None)


def test_accounts_stand_in_the_tie_out_as_text(read: Read) -> None:
    assert {row["account"] for row in read("tie_out")} == {ACCOUNT, "999900000002"}
