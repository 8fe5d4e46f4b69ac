"""A Cost and Usage Report, from S3 and from a folder; what it shares with FOCUS is tested there."""

from __future__ import annotations

import csv
import gzip
import io
import json
import shutil
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from ingest.pull import pull
from models.config.settings import Settings
from models.contract.errors import InputError
from models.raw.delivery import Delivery
from models.raw.zone import RawZone
from tests.support.bills.cur2_reports import reported
from tests.support.ingest.fake_aws import S3, Configured
from tests.support.some_marts import SomeMarts, some_marts

FIXTURES = Path(__file__).parents[4] / "fixtures" / "generated"
BILL = {"kind": "cur2", "location": "bill.csv"}


def line(day: str, cost: str, **columns: str) -> dict[str, Any]:
    return reported(f"{day}T00:00:00", "Usage", cost, cost, **columns)


def as_csv(*lines: dict[str, Any], without: str = "") -> bytes:
    text = io.StringIO()
    names = [name for name in dict.fromkeys(n for each in lines for n in each) if name != without]
    writer = csv.DictWriter(text, names, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    return text.getvalue().encode()


def deliver(export: Path, month: str, *lines: dict[str, Any]) -> None:
    """A month of one file, and a manifest as Data Exports writes them."""
    name = f"data/BILLING_PERIOD={month}/{export.name}-00001.csv.gz"
    (export / name).parent.mkdir(parents=True, exist_ok=True)
    (export / name).write_bytes(gzip.compress(as_csv(*lines), mtime=0))
    manifest = export / f"metadata/BILLING_PERIOD={month}/{export.name}-Manifest.json"
    manifest.parent.mkdir(parents=True, exist_ok=True)
    manifest.write_text(json.dumps({"dataFiles": [f"s3://bills/exports/{export.name}/{name}"]}))


def live(settings: Settings) -> dict[str, Delivery]:
    found = RawZone(settings.data / "raw").live("cur2")
    return {delivery.key.period: delivery for delivery in found}


def billed(delivery: Delivery) -> Decimal:
    return sum((Decimal(sums["BilledCost"]) for sums in delivery.totals.values()), Decimal(0))


def test_a_report_comes_from_s3_month_by_month_and_only_what_changed(
    configured: Configured, s3: S3, tmp_path: Path
) -> None:
    export = tmp_path / "local" / "cur"
    deliver(export, "2026-08", line("2026-08-03", "10"))
    deliver(export, "2026-09", line("2026-09-01", "1"), line("2026-09-02", "2"))
    s3.put_folder(export, "exports/cur")
    settings = configured({"kind": "cur2", "location": "s3://bills/exports/cur"})
    pull(settings).raise_failures()
    assert len([key for key in s3.asked() if "/data/" in key]) == 2
    assert {month: billed(found) for month, found in live(settings).items()} == {
        "2026-08": 10,
        "2026-09": 3,
    }

    deliver(export, "2026-09", line("2026-09-01", "1"), line("2026-09-02", "7"))
    s3.put_folder(export, "exports/cur")
    again = pull(settings, ["cur2"])
    assert (again.results[0].new, again.results[0].unchanged) == (1, 1)
    assert billed(live(settings)["2026-09"]) == 8


def test_a_report_and_the_manifest_beside_it_tie_to_the_cent(
    configured: Configured, s3: S3, tmp_path: Path
) -> None:
    export = tmp_path / "local" / "report"
    data = export / "data/BILLING_PERIOD=2024-09/report-00001.csv.gz"
    data.parent.mkdir(parents=True)
    data.write_bytes(gzip.compress((FIXTURES / "cur2.csv").read_bytes(), mtime=0))
    manifest = export / "metadata/BILLING_PERIOD=2024-09/report-Manifest.json"
    manifest.parent.mkdir(parents=True)
    shutil.copyfile(FIXTURES / "cur2-Manifest.json", manifest)
    s3.put_folder(export, "report")
    source = {"kind": "cur2", "location": "s3://bills/report"}
    settings = configured(source, cost={"source": "cur2"}, as_of="2024-10-31")
    pull(settings).raise_failures()
    marts = some_marts(settings, "tie_out")
    rows = marts.rows("SELECT month, account, basis, other, bill_total, remainder FROM tie_out")
    assert sorted(map(tuple, (row.values() for row in rows))) == [
        ("2024-09", "123456789012", basis, Decimal("0.106632"), Decimal("0.106632"), 0)
        for basis in ("billed", "effective")
    ]


PAYERS = {"payer": "", "nobody": "bill_payer_account_id"}
"""The column that is not in the file, by run."""


@pytest.fixture(scope="module")
def gross(tmp_path_factory: pytest.TempPathFactory) -> SomeMarts:
    """Two files without net figures, the second without its payer too.

    In each twenty dollars of a run, of which a discount takes two, and a dollar of tax.
    """
    folder = tmp_path_factory.mktemp("gross")
    (folder / "bills").mkdir()
    used = {"line_item_usage_type": "BoxUsage:trn1.32xlarge", "pricing_unit": "Hrs"}
    for run, without in PAYERS.items():
        tags = {"workload": "w", "run": run}
        lines = [
            reported("2026-09-01T00:00:00", "Usage", 20, tags=tags, **used),
            reported("2026-09-01T00:00:00", "EdpDiscount", -2, tags=tags, **used),
            reported("2026-09-20T00:00:00", "Tax", 1),
        ]
        (folder / "bills" / f"{run}.csv").write_bytes(as_csv(*lines, without=without))
    source = {"kind": "cur2", "location": "bills"}
    settings = Configured(folder)(source, cost={"source": "cur2"}, as_of="2026-10-31")
    pull(settings).raise_failures()
    return some_marts(settings, "runs", "tie_out")


@pytest.mark.parametrize("run", PAYERS)
def test_a_report_without_net_figures_flags_its_runs(gross: SomeMarts, run: str) -> None:
    """18, on the run's own tags."""
    row = gross.row("SELECT cost, accelerator_hours AS hours, flags FROM runs WHERE run = ?", run)
    assert (row["cost"], row["hours"], "gross_cost" in row["flags"]) == (18, 16, True)
    payer = "SELECT bill_total, remainder FROM tie_out WHERE (billing_account IS NOT NULL) = ?"
    assert gross.rows(payer, run == "payer") == [{"bill_total": 19, "remainder": 0}] * 2


@pytest.mark.parametrize(
    ("columns", "without", "kind", "said"),
    [
        ({}, "line_item_usage_type", InputError,
         "bill.csv: required column missing: line_item_usage_type (line_item_"),
        ({"line_item_currency_code": "EUR"}, "", InputError,
         "bill.csv: Currency (line_item_currency_code) is not USD on line 3: EUR (one currency"),
        ({"line_item_unblended_cost": "1,5"}, "", InputError,
         "bill.csv: line_item_unblended_cost cannot be read on line 3: 1,5 (correct the file"),
        ({"line_item_line_item_type": "SavingsPlanCoveredUsage"}, "", InputError,
         "bill.csv: savings_plan_savings_plan_effective_cost is missing on line 3 "
         "(SavingsPlanCoveredUsage): nothing (select this column in the export"),
    ],
)  # fmt: skip
def test_a_report_that_cannot_be_trusted_is_one_line(
    configured: Configured, tmp_path: Path, columns: dict[str, str], without: str,
    kind: type[Exception], said: str,
) -> None:  # fmt: skip
    lines = line("2026-09-01", "1"), line("2026-09-02", "2", **columns)
    (tmp_path / "bill.csv").write_bytes(as_csv(*lines, without=without))
    settings = configured(BILL)
    with pytest.raises(kind) as caught:
        pull(settings, ["cur2"]).raise_failures()
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not live(settings)


@pytest.mark.parametrize("month", ["2026-09-01T00:00:00Z", "2026-09-01T00:00:00.000Z", ""])
def test_a_discount_in_a_file_of_its_own_is_in_the_net_figures_of_the_others(
    configured: Configured, tmp_path: Path, month: str
) -> None:
    """Of $100 AWS takes $10 off: $90 net. Whether a bill has net figures all its files tell.

    A month that one file writes otherwise was another bill, whose discount counted again: $80.
    """
    bill = tmp_path / "local" / "bill"
    bill.mkdir(parents=True)
    discount = reported("2026-09-01T00:00:00", "EdpDiscount", "-10", "0")
    used = reported("2026-09-01T00:00:00", "Usage", "100", "90")
    discount["bill_billing_period_start_date"] = month
    used["bill_billing_period_start_date"] = month and "2026-09-01T00:00:00Z"
    for name, each in (("1.csv", used), ("2.csv", discount)):
        (bill / name).write_bytes(as_csv(each))
    settings = configured({"kind": "cur2", "location": str(bill)})
    pull(settings).raise_failures()
    (sums,) = live(settings)["all"].totals.values()
    assert [Decimal(sums[name]) for name in ("BilledCost", "EffectiveCost")] == [90, 90]
