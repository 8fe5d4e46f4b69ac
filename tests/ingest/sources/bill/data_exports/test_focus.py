"""The bill, from a folder and from S3."""

from __future__ import annotations

import json
import os
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from ingest.files.copying import copy_files
from ingest.paid_requests import ledger
from ingest.pull import pull
from ingest.pull.lost_months import lost_accounts
from ingest.source import ALL, Window
from ingest.sources.bill.data_exports import data_export
from models.config.settings import Settings
from models.contract.errors import BudgetError, ConfigError, InputError, SourceError
from models.raw.delivery import Delivery
from models.raw.delivery_key import Key
from models.raw.zone import RawZone
from tests.support.ingest.fake_aws import S3, Configured
from tests.support.ingest.focus_exports import as_csv, as_parquet, charge, deliver, packed

AUGUST = [charge("2026-08-03", "10")]
SEPTEMBER = [charge("2026-09-01", "1"), charge("2026-09-02", "2")]


def live(settings: Settings) -> dict[tuple[str, str], Delivery]:
    found = RawZone(settings.data / "raw").live("focus")
    return {(delivery.key.unit, delivery.key.period): delivery for delivery in found}


def costs(delivery: Delivery) -> list[str]:
    tables = [pq.read_table(path) for path in delivery.paths]
    return sorted(str(cost) for table in tables for cost in table["EffectiveCost"].to_pylist())


def fails(settings: Settings, kind: type[Exception] = InputError) -> str:
    """The one line that a pull of the bill ends with; nothing half-written is left."""
    report = pull(settings, ["focus"])
    with pytest.raises(kind) as caught:
        report.raise_failures()
    folders = [path for path in (settings.data / "raw").glob("*/*/*/*") if path.is_dir()]
    assert all((folder / "_delivery.json").exists() for folder in folders)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("suffix", [".snappy.parquet", ".csv", ".csv.gz"])
@pytest.mark.parametrize("period", ["BILLING_PERIOD", "billing_period"])
def test_an_export_is_one_delivery_a_month(
    configured: Configured, tmp_path: Path, suffix: str, period: str
) -> None:
    export = tmp_path / "exports" / "focus-export"
    deliver(export, "2026-08", AUGUST, suffix=suffix, period=period)
    deliver(export, "2026-09", SEPTEMBER[:1], SEPTEMBER[1:], suffix=suffix, period=period)
    settings = configured({"kind": "focus", "location": "exports/focus-export"})
    report = pull(settings, ["focus"])
    report.raise_failures()
    found = live(settings)
    assert list(found) == [("focus-export", "2026-08"), ("focus-export", "2026-09")]
    assert costs(found["focus-export", "2026-09"]) == ["1", "2"]
    assert (report.results[0].new, report.results[0].rows) == (2, 3)


def test_loading_twice_brings_nothing_new(configured: Configured, tmp_path: Path) -> None:
    deliver(tmp_path / "exp", "2026-09", SEPTEMBER, suffix=".csv.gz")
    settings = configured({"kind": "focus", "location": "exp"})
    pull(settings).raise_failures()
    first = live(settings)
    again = pull(settings)
    assert [(r.new, r.rows) for r in again.results] == [(0, 0), (0, 0)]
    assert live(settings) == first


def test_a_restated_month_replaces_what_it_restates(configured: Configured, tmp_path: Path) -> None:
    export = tmp_path / "exp"
    deliver(export, "2026-08", AUGUST)
    deliver(export, "2026-09", SEPTEMBER)
    settings = configured({"kind": "focus", "location": "exp"})
    pull(settings).raise_failures()
    deliver(export, "2026-09", [charge("2026-09-01", "7")])
    assert pull(settings, ["focus"]).results[0].new == 1
    assert costs(live(settings)["exp", "2026-09"]) == ["7"]
    assert costs(live(settings)["exp", "2026-08"]) == ["10"]


def test_executions_kept_side_by_side_are_never_added_up(
    configured: Configured, tmp_path: Path
) -> None:
    export = tmp_path / "exp"
    deliver(export, "2026-09", SEPTEMBER, execution="2026-09-02T06:00:00.000Z-aa")
    deliver(export, "2026-09", [charge("2026-09-01", "5")], execution="2026-09-03T06:00:00.000Z-bb")
    settings = configured({"kind": "focus", "location": "exp"})
    pull(settings).raise_failures()
    assert costs(live(settings)["exp", "2026-09"]) == ["5"]


def test_where_only_executions_have_manifests_the_newest_counts(
    configured: Configured, tmp_path: Path
) -> None:
    export = tmp_path / "exp"
    for execution, cost in (
        ("2026-09-03T06:00:00.000Z-bb", "5"),
        ("2026-09-02T06:00:00.000Z-aa", "4"),
    ):
        manifest = deliver(export, "2026-09", [charge("2026-09-01", cost)], execution=execution)
        inner = manifest.parent / execution / manifest.name
        inner.parent.mkdir()
        manifest.rename(inner)
    settings = configured({"kind": "focus", "location": "exp"})
    pull(settings).raise_failures()
    assert costs(live(settings)["exp", "2026-09"]) == ["5"]


def test_files_without_a_manifest_beside_others_are_left_out_and_named(
    configured: Configured, tmp_path: Path
) -> None:
    deliver(tmp_path / "exp", "2026-08", AUGUST)
    deliver(tmp_path / "exp", "2026-09", SEPTEMBER).unlink()
    settings = configured({"kind": "focus", "location": "exp"})
    report = pull(settings)
    report.raise_failures()
    assert list(live(settings)) == [("exp", "2026-08")]
    assert report.results[0].notices == [
        "exp, 2026-09: left out, without a manifest where others have one (files: 1): "
        "data/BILLING_PERIOD=2026-09/exp-00001.snappy.parquet"
    ]


def switched(export: Path, hours: int) -> None:
    """A month that was overwritten, then kept; its old manifest was written `hours` before."""
    old = deliver(export, "2026-09", SEPTEMBER[:1])
    text = old.read_text()
    execution = "2026-09-22T06:00:00.000Z-bb"
    manifest = deliver(export, "2026-09", SEPTEMBER, execution=execution)
    (manifest.parent / execution).mkdir()
    manifest.rename(manifest.parent / execution / manifest.name)
    old.write_text(text)
    written = (manifest.parent / execution / manifest.name).stat().st_mtime - hours * 3600
    os.utime(old, (written, written))


def test_a_month_whose_executions_are_kept_from_now_on_is_read_on(
    configured: Configured, tmp_path: Path
) -> None:
    switched(tmp_path / "exp", hours=1)
    settings = configured({"kind": "focus", "location": "exp"})
    report = pull(settings)
    report.raise_failures()
    assert costs(live(settings)["exp", "2026-09"]) == ["1", "2"]
    assert report.results[0].notices == [
        "exp, 2026-09: an older manifest is passed over: "
        "metadata/BILLING_PERIOD=2026-09/exp-Manifest.json"
    ]


def test_two_manifests_without_times_that_tell_are_refused(
    configured: Configured, tmp_path: Path
) -> None:
    switched(tmp_path / "exp", hours=0)
    settings = configured({"kind": "focus", "location": "exp"})
    with pytest.raises(InputError, match="name different files"):
        pull(settings).raise_failures()
    assert live(settings) == {}


def test_executions_without_any_manifest_are_not_added_up_either(
    configured: Configured, tmp_path: Path
) -> None:
    export = tmp_path / "exp"
    for execution, cost in (
        ("2026-09-02T06:00:00.000Z-aa", "4"),
        ("2026-09-03T06:00:00.000Z-bb", "5"),
    ):
        manifest = deliver(export, "2026-09", [charge("2026-09-01", cost)], execution=execution)
        manifest.unlink()
    settings = configured({"kind": "focus", "location": "exp"})
    pull(settings).raise_failures()
    assert costs(live(settings)["exp", "2026-09"]) == ["5"]


def test_files_that_the_manifest_does_not_name_do_not_count(
    configured: Configured, tmp_path: Path
) -> None:
    export = tmp_path / "exp"
    deliver(export, "2026-09", SEPTEMBER)
    stale = export / "data" / "BILLING_PERIOD=2026-09" / "exp-00002.snappy.parquet"
    stale.write_bytes(as_parquet([charge("2026-09-01", "999")]))
    settings = configured({"kind": "focus", "location": "exp"})
    pull(settings).raise_failures()
    assert costs(live(settings)["exp", "2026-09"]) == ["1", "2"]


def test_a_folder_above_several_exports_brings_them_all(
    configured: Configured, tmp_path: Path
) -> None:
    deliver(tmp_path / "all" / "east", "2026-09", [charge("2026-09-01", account="a")])
    deliver(tmp_path / "all" / "team" / "west", "2026-09", [charge("2026-09-01", account="b")])
    settings = configured({"kind": "focus", "location": "all"})
    pull(settings).raise_failures()
    assert list(live(settings)) == [("east", "2026-09"), ("team/west", "2026-09")]


def test_a_bare_file_loads_whole(configured: Configured, tmp_path: Path) -> None:
    (tmp_path / "bill.csv").write_bytes(as_csv(AUGUST + SEPTEMBER))
    settings = configured({"kind": "focus", "location": "bill.csv"})
    pull(settings).raise_failures()
    assert costs(live(settings)["bill.csv", "all"]) == ["1", "10", "2"]


def test_a_file_renamed_in_a_bare_folder_is_not_counted_twice(
    configured: Configured, tmp_path: Path
) -> None:
    folder = tmp_path / "bills"
    folder.mkdir()
    (folder / "part-1.parquet").write_bytes(as_parquet(SEPTEMBER))
    (folder / "_SUCCESS").touch()
    settings = configured({"kind": "focus", "location": "bills"})
    pull(settings).raise_failures()
    (folder / "part-1.parquet").rename(folder / "part-9.parquet")
    assert pull(settings, ["focus"]).results[0].new == 0
    assert costs(live(settings)["bills", "all"]) == ["1", "2"]


@pytest.fixture
def months(configured: Configured, tmp_path: Path) -> Settings:
    """A folder with a file of August and one of September, brought once."""
    folder = tmp_path / "bills"
    folder.mkdir()
    (folder / "2026-08.csv").write_bytes(as_csv(AUGUST))
    (folder / "2026-09.csv").write_bytes(as_csv(SEPTEMBER))
    settings = configured({"kind": "focus", "location": "bills"})
    pull(settings).raise_failures()
    return settings


def test_a_copy_beside_a_months_file_counts_once_and_is_named(
    months: Settings, tmp_path: Path
) -> None:
    """As a browser saves it a second time, or packed: the lines are the same."""
    folder = tmp_path / "bills"
    (folder / "2026-09 (1).csv").write_bytes(as_csv(SEPTEMBER))
    (folder / "2026-09.csv.gz").write_bytes(packed(SEPTEMBER, ".csv.gz"))
    result = pull(months, ["focus"]).results[0]
    assert (result.new, result.unchanged, result.errors) == (0, 1, [])
    assert result.notices == [
        f"{folder}/2026-09 (1).csv and {folder}/{name} have the same lines, so they count once: "
        "remove one of them"
        for name in ("2026-09.csv", "2026-09.csv.gz")
    ]
    assert costs(live(months)["bills", "all"]) == ["1", "10", "2"]


def test_a_copy_that_counted_twice_counts_once_from_the_next_pull_on(
    months: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a delivery from before copies were told apart; the files themselves are as they were."""
    folder = tmp_path / "bills"
    (folder / "again.csv").write_bytes(as_csv(AUGUST))
    with monkeypatch.context() as before:
        before.setattr(data_export, "copy_files", lambda *given, once: copy_files(*given) or [])
        pull(months, ["focus"]).raise_failures()
    assert costs(live(months)["bills", "all"]) == ["1", "10", "10", "2"]
    pull(months, ["focus"]).raise_failures()
    assert costs(live(months)["bills", "all"]) == ["1", "10", "2"]


def test_a_month_whose_file_was_moved_away_is_refused_and_stays_live(
    months: Settings, tmp_path: Path
) -> None:
    folder = tmp_path / "bills"
    (folder / "2026-08.csv").rename(tmp_path / "archived.csv")
    (folder / "2026-10.csv").write_bytes(as_csv([charge("2026-10-01", "4")]))
    assert fails(months) == (
        "focus: bills no longer has any line of 2026-08, but a bill never loses a month: "
        f"{folder}/2026-08.csv is gone (put the file back: what is live counts until then; "
        "if this is another bill, give its [[sources]] another `name` and set cost.source to that)"
    )
    assert costs(live(months)["bills", "all"]) == ["1", "10", "2"]
    (tmp_path / "archived.csv").rename(folder / "2026-08.csv")
    pull(months, ["focus"]).raise_failures()
    assert costs(live(months)["bills", "all"]) == ["1", "10", "2", "4"]


def test_a_month_may_change_whole_and_move_to_another_file(
    months: Settings, tmp_path: Path
) -> None:
    """Restated, with another account, in one file with the next month."""
    folder = tmp_path / "bills"
    (folder / "2026-08.csv").unlink()
    other = [charge("2026-08-09", "7", account="999900000009")]
    (folder / "2026-09.csv").write_bytes(as_csv(other + SEPTEMBER))
    pull(months, ["focus"]).raise_failures()
    assert costs(live(months)["bills", "all"]) == ["1", "2", "7"]


def test_an_account_that_a_month_lost_with_a_file_is_told(months: Settings, tmp_path: Path) -> None:
    part = tmp_path / "bills" / "2026-09-other.csv"
    lines = [charge(f"2026-09-0{day}", "5", account="999900000009") for day in (1, 2)]
    part.write_bytes(as_csv([*lines, charge("2026-09-01", "0", account="999900000008")]))
    assert pull(months, ["focus"]).results[0].notices == []
    part.unlink()
    assert pull(months, ["focus"]).results[0].notices == [
        "bills: no line of account 999900000009 is left in 2026-09, although a bill keeps what an "
        f"account cost before it left: {part} is gone"
    ]
    assert pull(months, ["focus"]).results[0].notices == []


def test_a_lost_account_that_had_no_id_is_told_as_such() -> None:
    key, at = Key("focus", "bills", ALL), datetime(2026, 10, 1, tzinfo=UTC)
    old = Delivery(key, "1", "focus", at, (), totals={"||2026-09": {"EffectiveCost": "5"}})
    [notice] = lost_accounts(old, Delivery(key, "2", "focus", at, ()))
    assert "no line of account without an id is left in 2026-09" in notice


def test_a_file_that_says_less_than_a_whole_month_before_is_refused(
    months: Settings, tmp_path: Path
) -> None:
    for name, cost in (("2026-08.csv", "4"), ("2026-09.csv", "5")):
        (tmp_path / "bills" / name).write_bytes(as_csv([charge("2026-10-01", cost)]))
    assert "of 2026-08, 2026-09, but a bill never loses a month: the same files hold fewer" in (
        fails(months)
    )


def test_another_bill_at_the_same_place_takes_another_name(
    months: Settings, configured: Configured, tmp_path: Path
) -> None:
    """The remedy that is told: what was live under the old name is no longer added up."""
    (tmp_path / "bills" / "2026-08.csv").unlink()
    renamed = {"kind": "focus", "name": "bill-2", "location": "bills"}
    settings = configured(renamed, cost={"source": "bill-2"})
    pull(settings).raise_failures()
    (new,) = (d for d in RawZone(settings.data / "raw").live() if d.key.source == "bill-2")
    assert costs(new) == ["1", "2"]


def test_month_folders_without_manifests_are_months(configured: Configured, tmp_path: Path) -> None:
    for month, lines in (("2026-08", AUGUST), ("2026-09", SEPTEMBER)):
        folder = tmp_path / "bills" / f"billing_period={month}"
        folder.mkdir(parents=True)
        (folder / "x.csv.gz").write_bytes(packed(lines, ".csv.gz"))
    settings = configured({"kind": "focus", "location": "bills"})
    pull(settings).raise_failures()
    assert list(live(settings)) == [("bills", "2026-08"), ("bills", "2026-09")]


def test_only_the_months_asked_for_are_pulled(configured: Configured, tmp_path: Path) -> None:
    deliver(tmp_path / "exp", "2026-08", AUGUST)
    deliver(tmp_path / "exp", "2026-09", SEPTEMBER)
    settings = configured({"kind": "focus", "location": "exp"})
    pull(settings, window=Window(date(2026, 9, 10), date(2026, 9, 12))).raise_failures()
    assert list(live(settings)) == [("exp", "2026-09")]


def test_a_missing_folder_is_named(configured: Configured) -> None:
    said = fails(configured({"kind": "focus", "location": "nowhere/export"}))
    assert said.startswith("focus: no export found: ")
    assert "nowhere/export, which does not exist (check `location`" in said


def test_an_empty_export_is_refused(configured: Configured, tmp_path: Path) -> None:
    manifest = deliver(tmp_path / "exp", "2026-09")
    settings = configured({"kind": "focus", "location": "exp"})
    assert str(manifest) in fails(settings)
    deliver(tmp_path / "exp", "2026-09", [], suffix=".csv")
    assert fails(settings).startswith("focus: no row was delivered: ")


def test_a_truncated_parquet_file_is_refused_and_the_last_state_stays(
    configured: Configured, tmp_path: Path
) -> None:
    deliver(tmp_path / "exp", "2026-09", SEPTEMBER)
    settings = configured({"kind": "focus", "location": "exp"})
    pull(settings).raise_failures()
    before = live(settings)
    path = next((tmp_path / "exp" / "data").rglob("*.parquet"))
    path.write_bytes(path.read_bytes()[:-20])
    said = fails(settings)
    assert said.startswith(f"focus: {path} is not a whole Parquet file: ")
    assert live(settings) == before


def test_a_damaged_page_inside_a_parquet_file_is_refused(
    configured: Configured, tmp_path: Path
) -> None:
    deliver(tmp_path / "exp", "2026-09", SEPTEMBER * 50)
    path = next((tmp_path / "exp" / "data").rglob("*.parquet"))
    whole = bytearray(path.read_bytes())
    whole[4:400] = b"\xff" * 396
    path.write_bytes(whole)
    assert str(path) in fails(configured({"kind": "focus", "location": "exp"}))


def test_a_truncated_gzip_is_refused(configured: Configured, tmp_path: Path) -> None:
    deliver(tmp_path / "exp", "2026-09", SEPTEMBER * 500, suffix=".csv.gz")
    path = next((tmp_path / "exp" / "data").rglob("*.csv.gz"))
    path.write_bytes(path.read_bytes()[:-30])
    assert str(path) in fails(configured({"kind": "focus", "location": "exp"}))


def test_a_renamed_column_is_refused(configured: Configured, tmp_path: Path) -> None:
    text = as_csv(SEPTEMBER).replace(b"EffectiveCost", b"Effective_Cost")
    (tmp_path / "bill.csv").write_bytes(text)
    said = fails(configured({"kind": "focus", "location": "bill.csv"}))
    assert said == (
        f"focus: {tmp_path}/bill.csv: required column missing: EffectiveCost "
        "(Effective_Cost is there: rename it, then deliver again)"
    )


def test_another_currency_is_refused(configured: Configured, tmp_path: Path) -> None:
    lines = [*SEPTEMBER, charge("2026-09-03", BillingCurrency="EUR")]
    (tmp_path / "bill.csv").write_bytes(as_csv(lines))
    settings = configured({"kind": "focus", "location": "bill.csv"})
    assert "EUR" in fails(settings, InputError)
    assert not live(settings)


def test_an_unreadable_amount_is_refused(configured: Configured, tmp_path: Path) -> None:
    (tmp_path / "bill.csv").write_bytes(as_csv([charge("2026-09-03", "1,5")]))
    assert "1,5" in fails(configured({"kind": "focus", "location": "bill.csv"}))


def test_an_unreadable_date_is_refused(configured: Configured, tmp_path: Path) -> None:
    (tmp_path / "bill.csv").write_bytes(as_csv([charge("2026-09-03", ChargePeriodStart="the 3rd")]))
    assert "the 3rd" in fails(configured({"kind": "focus", "location": "bill.csv"}))


def test_a_manifest_that_is_none_is_refused(configured: Configured, tmp_path: Path) -> None:
    manifest = deliver(tmp_path / "exp", "2026-09", SEPTEMBER)
    settings = configured({"kind": "focus", "location": "exp"})
    for text in ("{", "[]", '{"dataFiles": "x"}', "{}"):
        manifest.write_text(text)
        assert "lists no dataFiles" in fails(settings)


def test_a_delivery_under_way_is_refused_and_the_last_state_stays(
    configured: Configured, tmp_path: Path
) -> None:
    manifest = deliver(tmp_path / "exp", "2026-09", SEPTEMBER)
    settings = configured({"kind": "focus", "location": "exp"})
    pull(settings).raise_failures()
    before = live(settings)
    named = json.loads(manifest.read_text())
    named["dataFiles"].append("s3://bills/exp/data/BILLING_PERIOD=2026-09/exp-00002.snappy.parquet")
    manifest.write_text(json.dumps(named))
    assert "exp-00002.snappy.parquet (the delivery may be under way" in fails(settings)
    assert live(settings) == before


def test_data_being_overwritten_under_an_old_manifest_is_refused(
    configured: Configured, tmp_path: Path
) -> None:
    manifest = deliver(tmp_path / "exp", "2026-09", SEPTEMBER)
    settings = configured({"kind": "focus", "location": "exp"})
    old = (datetime.now(UTC) - timedelta(minutes=5)).timestamp()
    os.utime(manifest, (old, old))
    assert "a delivery is under way" in fails(settings)
    older = (datetime.now(UTC) - timedelta(hours=2)).timestamp()
    for path in (tmp_path / "exp" / "data").rglob("*.parquet"):
        os.utime(path, (older + 600, older + 600))
    os.utime(manifest, (older, older))
    pull(settings).raise_failures()


def test_a_damaged_month_does_not_stop_its_neighbours(
    configured: Configured, tmp_path: Path
) -> None:
    deliver(tmp_path / "exp", "2026-08", AUGUST).write_text("{")
    deliver(tmp_path / "exp", "2026-09", SEPTEMBER)
    settings = configured({"kind": "focus", "location": "exp"})
    fails(settings)
    assert list(live(settings)) == [("exp", "2026-09")]


def test_a_zip_is_refused_by_name(configured: Configured, tmp_path: Path) -> None:
    (tmp_path / "bills").mkdir()
    (tmp_path / "bills" / "a.csv.zip").write_bytes(b"PK")
    assert "a.csv.zip (deliver one of .parquet" in fails(
        configured({"kind": "focus", "location": "bills"})
    )


def test_only_changed_objects_are_fetched_from_s3(
    configured: Configured, s3: S3, tmp_path: Path
) -> None:
    export = tmp_path / "local" / "exp"
    deliver(export, "2026-08", AUGUST)
    deliver(export, "2026-09", SEPTEMBER[:1], SEPTEMBER[1:])
    s3.put_folder(export, "exports/exp")
    settings = configured({"kind": "focus", "location": "s3://bills/exports/exp"})
    first = pull(settings)
    first.raise_failures()
    assert len([key for key in s3.asked() if "/data/" in key]) == 3
    assert costs(live(settings)["exp", "2026-09"]) == ["1", "2"]
    # a listing, two manifests and three files, each in the ledger before it was sent
    paid = [
        (line["source"], line["operation"], line["dollars"])
        for line in ledger.read_lines(settings.data / ledger.FILE)
    ]
    assert paid == [
        ("focus", "ListObjectsV2", "0.000005"),
        *[("focus", "GetObject", "0.0000004")] * 5,
    ]
    assert (first.results[0].requests, first.results[0].dollars) == (6, Decimal("0.000007"))

    again = pull(settings, ["focus"])
    assert (again.results[0].new, again.results[0].unchanged) == (0, 2)
    assert not [key for key in s3.asked() if "/data/" in key]

    deliver(export, "2026-09", SEPTEMBER[:1], [charge("2026-09-02", "8")])
    s3.put_folder(export / "data/BILLING_PERIOD=2026-09", "exports/exp/data/BILLING_PERIOD=2026-09")
    pull(settings, ["focus"]).raise_failures()
    fetched = [key for key in s3.asked() if "/data/" in key]
    assert [key.rpartition("/")[2] for key in fetched] == ["exp-00002.snappy.parquet"]
    assert costs(live(settings)["exp", "2026-09"]) == ["1", "8"]


def test_the_daily_cap_holds_for_s3_too(configured: Configured, s3: S3) -> None:
    """The listing is paid for; the first object is not."""
    cost = {"api_budget_usd_per_day": "0.000005"}
    s3.client.put_object(Bucket=s3.bucket, Key="x/a.csv", Body=b"x")
    said = fails(configured({"kind": "focus", "location": "s3://bills/x"}, cost=cost), BudgetError)
    assert "focus: the next GetObject would exceed cost.api_budget_usd_per_day" in said
    assert "$0.000005 of $0.000005 spent today" in said
    assert s3.asked() == []


@pytest.mark.parametrize("location", ["s3://bills", "s3://bills/exports/"])
def test_a_prefix_above_the_export_will_do(
    configured: Configured, s3: S3, tmp_path: Path, location: str
) -> None:
    deliver(tmp_path / "exp", "2026-09", SEPTEMBER, suffix=".csv.gz")
    s3.put_folder(tmp_path / "exp", "exports/exp")
    settings = configured({"kind": "focus", "location": location})
    pull(settings).raise_failures()
    assert [period for _, period in live(settings)] == ["2026-09"]


def test_a_missing_bucket_is_named(configured: Configured, s3: S3) -> None:
    settings = configured({"kind": "focus", "location": "s3://nobody-has-this/x"})
    said = fails(settings, SourceError)
    assert "s3://nobody-has-this" in said
    assert "NoSuchBucket" in said


def test_no_answer_from_aws_is_one_line(
    configured: Configured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    said = fails(configured({"kind": "focus", "location": "s3://bills/x"}), SourceError)
    assert "AWS cannot be reached" in said


def test_missing_credentials_are_one_line(
    configured: Configured, s3: S3, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    said = fails(configured({"kind": "focus", "location": "s3://bills/x"}), SourceError)
    assert "no AWS credentials" in said
    assert "AWS_PROFILE" in said


def test_an_unknown_scheme_is_refused(configured: Configured) -> None:
    with pytest.raises(ConfigError, match="gs://bucket"):
        pull(configured({"kind": "focus", "location": "gs://bucket/x"}))


def test_two_exports_that_hold_the_same_bill_are_refused(
    configured: Configured, tmp_path: Path
) -> None:
    deliver(tmp_path / "one", "2026-09", SEPTEMBER)
    deliver(tmp_path / "two", "2026-09", SEPTEMBER)
    entries = [{"kind": "focus", "location": name} for name in ("one", "two")]
    settings = configured(*entries)
    said = fails(settings)
    assert said.startswith(
        "focus: two and one hold the same bill: account 999900000001|999900000002|2026-09"
    )
    assert list(live(settings)) == [("one", "2026-09")]
    named = [entries[0], {**entries[1], "name": "other"}]
    with pytest.raises(InputError, match="other: two and one hold the same bill"):
        pull(configured(*named)).raise_failures()
    pull(configured(*named, cost={"source": "other"})).raise_failures()


def test_a_bare_file_that_repeats_a_month_of_an_export_is_refused(
    configured: Configured, tmp_path: Path
) -> None:
    deliver(tmp_path / "one", "2026-09", SEPTEMBER)
    (tmp_path / "bill.csv").write_bytes(as_csv(SEPTEMBER))
    (tmp_path / "old.csv").write_bytes(as_csv(AUGUST))
    one = {"kind": "focus", "location": "one"}
    pull(configured(one, {"kind": "focus", "location": "old.csv"})).raise_failures()
    assert "bill.csv and one hold the same bill" in fails(
        configured(one, {"kind": "focus", "location": "bill.csv"})
    )


def test_two_locations_with_exports_of_one_name_are_refused(
    configured: Configured, tmp_path: Path
) -> None:
    deliver(tmp_path / "a" / "exp", "2026-09", [charge("2026-09-01", account="a")])
    deliver(tmp_path / "b" / "exp", "2026-09", [charge("2026-09-01", account="b")])
    settings = configured(*({"kind": "focus", "location": f"{name}/exp"} for name in "ab"))
    assert "both deliver: exp" in fails(settings)


def test_a_file_of_another_kind_in_the_manifest_is_refused(
    configured: Configured, tmp_path: Path
) -> None:
    manifest = deliver(tmp_path / "exp", "2026-09", SEPTEMBER)
    odd = tmp_path / "exp" / "data" / "BILLING_PERIOD=2026-09" / "exp-00002.orc"
    odd.write_bytes(b"ORC")
    named = json.loads(manifest.read_text())
    named["dataFiles"].append("s3://bills/exp/data/BILLING_PERIOD=2026-09/exp-00002.orc")
    manifest.write_text(json.dumps(named))
    said = fails(configured({"kind": "focus", "location": "exp"}))
    assert said.startswith(f"focus: cannot read this kind of file: {odd}")
