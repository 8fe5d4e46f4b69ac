"""The sample is what it says: reproducible, in AWS's layout, at real list prices."""

import hashlib
import json
import runpy
import sys
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

import duckdb
import pyarrow
import pytest

from models.config import loading

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "data" / "sample"
EXPORTS = ("focus-1-0", "focus-1-2")
LARGEST = 6 * 1024 * 1024
MANIFEST: dict[str, Any] = json.loads((SAMPLE / "MANIFEST.json").read_text(encoding="utf-8"))


def delivered() -> list[str]:
    """The data files that the manifests of the billing periods name."""
    files: list[str] = []
    for export in EXPORTS:
        for path in (SAMPLE / export / "metadata").glob("*/*-Manifest.json"):
            named = json.loads(path.read_text(encoding="utf-8"))["dataFiles"]
            files += [str(SAMPLE / export / name.split(f"/{export}/")[1]) for name in named]
    return sorted(files)


@pytest.fixture(scope="module")
def bill() -> duckdb.DuckDBPyConnection:
    """The delivered lines as the view `bill`."""
    connection = duckdb.connect()
    names = ", ".join(f"'{name}'" for name in delivered())
    connection.execute(
        f"CREATE VIEW bill AS SELECT *, coalesce(x_UsageType, SkuMeter) AS usage_type "
        f"FROM read_parquet([{names}], union_by_name = true, hive_partitioning = false)"
    )
    return connection


def test_the_generator_writes_the_committed_bytes_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made_with = MANIFEST["pyarrow"]
    if pyarrow.__version__ != made_with:
        pytest.skip(f"Parquet bytes depend on pyarrow: made with {made_with}")
    monkeypatch.syspath_prepend(SAMPLE)
    monkeypatch.setattr(sys, "argv", ["generate.py", str(tmp_path)])
    runpy.run_path(str(SAMPLE / "generate.py"), run_name="__main__")
    again = json.loads((tmp_path / "MANIFEST.json").read_text(encoding="utf-8"))
    assert again == MANIFEST


def test_the_manifest_names_every_committed_file_with_its_hash() -> None:
    folders = (*EXPORTS, "progress", "allocations")
    found = {
        path.relative_to(SAMPLE).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for folder in folders
        for path in (SAMPLE / folder).rglob("*")
        if path.is_file()
    }
    assert found == MANIFEST["files"]


def test_the_sample_stays_small() -> None:
    size = sum(path.stat().st_size for path in SAMPLE.rglob("*") if path.is_file())
    assert size <= LARGEST


def test_it_is_said_plainly_that_the_usage_is_simulated() -> None:
    assert MANIFEST["statement"].startswith("Simulated usage, real list prices.")
    readme = (SAMPLE / "README.md").read_text(encoding="utf-8")
    assert "**The usage is simulated, the list prices are real.**" in readme


def test_the_files_add_up_to_the_totals_of_the_manifest(bill: duckdb.DuckDBPyConnection) -> None:
    found: dict[str, dict[str, dict[str, str]]] = {}
    rows = bill.execute(
        "SELECT strftime(BillingPeriodStart, '%Y-%m'), SubAccountId, "
        "sum(BilledCost::DECIMAL(18, 9)), sum(EffectiveCost::DECIMAL(18, 9)) "
        "FROM bill GROUP BY ALL ORDER BY ALL"
    ).fetchall()
    for month, account, billed, effective in rows:
        sums = {"billed": f"{billed:.9f}", "effective": f"{effective:.9f}"}
        found.setdefault(month, {})[account] = sums
    assert found == MANIFEST["totals"]


def test_adding_up_every_file_counts_a_month_twice(bill: duckdb.DuckDBPyConnection) -> None:
    everything = SAMPLE / "focus-1-0" / "data" / "*=2025-09" / "**" / "*.parquet"
    naive = bill.execute(
        "SELECT sum(BilledCost) FROM read_parquet(?)", [str(everything)]
    ).fetchone()
    stated = sum(Decimal(sums["billed"]) for sums in MANIFEST["totals"]["2025-09"].values())
    assert naive is not None
    assert Decimal(naive[0]) > stated * Decimal("1.8")


@pytest.mark.parametrize(
    ("instance_type", "day", "price"),
    [
        ("p4de.24xlarge", "2025-05-31", 40.96575),
        ("p4de.24xlarge", "2025-06-01", 27.44705),
        ("p4d.24xlarge", "2025-03-19", 32.7726),
        ("p4d.24xlarge", "2025-06-11", 21.957642),
        ("trn1.32xlarge", "2026-10-20", 21.5),
    ],
)
def test_hours_cost_their_list_price_of_the_day(
    bill: duckdb.DuckDBPyConnection, instance_type: str, day: str, price: float
) -> None:
    rows = bill.execute(
        "SELECT DISTINCT round(ListUnitPrice, 6) FROM bill "
        "WHERE usage_type = 'BoxUsage:' || $1 AND ChargePeriodStart::DATE = $2::DATE "
        "AND ConsumedQuantity = 1",
        [instance_type, day],
    ).fetchall()
    assert rows == [(price,)]


def test_a_price_that_the_seed_does_not_know_is_not_on_the_bill(
    bill: duckdb.DuckDBPyConnection,
) -> None:
    rows = bill.execute(
        "SELECT DISTINCT usage_type FROM bill WHERE ListCost IS NULL AND ChargeCategory = 'Usage'"
    ).fetchall()
    assert rows == [("USW2-BoxUsage:p4d.24xlarge",)]


def test_each_export_has_the_columns_of_its_version() -> None:
    connection = duckdb.connect()
    columns = {
        export: set(
            connection.execute(
                "SELECT name FROM parquet_schema(?) WHERE name NOT IN ('key', 'value', 'schema')",
                [next(name for name in delivered() if f"/{export}/" in name)],
            ).fetchnumpy()["name"]
        )
        for export in EXPORTS
    }
    only_1_0 = {"x_UsageType", "x_CostCategories"}
    only_1_2 = {"SkuMeter", "SkuPriceDetails", "InvoiceId", "CapacityReservationId"}
    assert only_1_0 <= columns["focus-1-0"]
    assert only_1_0.isdisjoint(columns["focus-1-2"])
    assert only_1_2 <= columns["focus-1-2"]
    assert only_1_2.isdisjoint(columns["focus-1-0"])


def test_only_invoiced_months_carry_an_invoice(bill: duckdb.DuckDBPyConnection) -> None:
    rows = bill.execute(
        "SELECT DISTINCT strftime(BillingPeriodStart, '%Y-%m') FROM bill "
        "WHERE InvoiceId IS NULL AND BillingPeriodStart >= '2026-01-01'"
    ).fetchall()
    assert rows == [("2026-10",)]


def test_what_the_savings_plan_costs_is_what_it_covered_or_left_unused(
    bill: duckdb.DuckDBPyConnection,
) -> None:
    row = bill.execute(
        "SELECT sum(BilledCost::DECIMAL(18, 9)), sum(EffectiveCost::DECIMAL(18, 9)) "
        "FROM bill WHERE CommitmentDiscountId IS NOT NULL"
    ).fetchone()
    assert row is not None
    assert row[0] == row[1] > 0


def test_a_correction_takes_back_what_was_billed_twice(bill: duckdb.DuckDBPyConnection) -> None:
    rows = bill.execute(
        "SELECT DISTINCT sum(EffectiveCost) FILTER (WHERE ChargeClass IS NULL) "
        "/ -sum(EffectiveCost) FILTER (WHERE ChargeClass = 'Correction') FROM bill "
        "WHERE ChargeCategory = 'Usage' GROUP BY ResourceId, ChargePeriodStart, usage_type "
        "HAVING bool_or(ChargeClass = 'Correction')"
    ).fetchall()
    assert [round(ratio, 9) for (ratio,) in rows] == [2.0]


def test_progress_is_ahead_of_the_bill(bill: duckdb.DuckDBPyConnection) -> None:
    billed = bill.execute(
        "SELECT max(ChargePeriodEnd) FROM bill "
        "WHERE Tags['user:run'] IS NOT NULL AND ConsumedUnit = 'Hours'"
    )
    (cost_until,) = billed.fetchone() or (None,)
    logged = bill.execute(
        "SELECT max(observed_at::TIMESTAMP) FROM read_csv(?)", [str(SAMPLE / "progress" / "*.csv")]
    )
    (progress_until,) = logged.fetchone() or (None,)
    assert cost_until is not None
    assert progress_until is not None
    assert progress_until > cost_until


def test_the_configuration_is_valid_and_finds_its_sources() -> None:
    config = loading.load(SAMPLE / "breakeven.toml", environ={})
    assert config.as_of is not None
    for source in config.sources:
        assert config.resolve(source.options["location"]).exists()


def test_the_invoices_in_the_configuration_are_those_of_the_bill() -> None:
    for invoice in loading.load(SAMPLE / "breakeven.toml", environ={}).invoices:
        billed = Decimal(MANIFEST["totals"][invoice.month][invoice.account]["billed"])
        assert invoice.amount == billed.quantize(Decimal("0.01"), ROUND_HALF_UP)
