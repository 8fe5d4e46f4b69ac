"""The door of the raw zone."""

from __future__ import annotations

import gzip
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from models import intake
from models.errors import CurrencyError, InputError
from models.raw import Key, RawZone, Totals

HEAD = (
    "BillingAccountId,SubAccountId,ChargePeriodStart,BilledCost,EffectiveCost,"
    "BillingCurrency,ChargeCategory\n"
)


def line(cost: str = "1.25", day: str = "2026-09-01", currency: str = "USD") -> str:
    return f"1,2,{day}T00:00:00Z,{cost},{cost},{currency},Usage\n"


def rows(path: Path) -> list[dict[str, object]]:
    found: list[dict[str, object]] = pq.read_table(path).to_pylist()
    return found


def admit(tmp_path: Path, text: str, *, empty: bool = False) -> Totals:
    source = tmp_path / "bill.csv"
    source.write_text(text)
    with RawZone(tmp_path / "raw").staging(Key("focus", "bill.csv", "all")) as staging:
        intake.from_csv(source, staging.next_path)
        staging.add(staging.next_path, origin="bill.csv")
        totals = intake.admit(staging, "focus", empty=empty)
        staging.seal("focus", totals=totals)
        return totals


def test_csv_values_stay_text(tmp_path: Path) -> None:
    source = tmp_path / "a.csv"
    source.write_text('a,b,c\n"0.10",NULL,\n007,"x, ""y""\nz",1e3\n')
    intake.from_csv(source, tmp_path / "a.parquet")
    assert rows(tmp_path / "a.parquet") == [
        {"a": "0.10", "b": None, "c": None},
        {"a": "007", "b": 'x, "y"\nz', "c": "1e3"},
    ]


def test_gzip_is_read_by_the_name_of_the_file(tmp_path: Path) -> None:
    source = tmp_path / "a.csv.gz"
    source.write_bytes(gzip.compress(b"a\n1\n"))
    intake.from_csv(source, tmp_path / "a.parquet")
    assert rows(tmp_path / "a.parquet") == [{"a": "1"}]


def test_the_same_file_becomes_the_same_bytes(tmp_path: Path) -> None:
    source = tmp_path / "a.csv"
    source.write_text("a,b\n" + "".join(f"{n},{n * n}\n" for n in range(300_000)))
    for name in ("one", "two"):
        intake.from_csv(source, tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_a_column_that_is_first_filled_late_is_kept(tmp_path: Path) -> None:
    source = tmp_path / "a.jsonl"
    source.write_text('{"a": 1}\n' * 50_000 + '{"a": "x", "b": {"c": [1]}}\n')
    intake.from_jsonl(source, tmp_path / "a.parquet")
    assert rows(tmp_path / "a.parquet")[-1] == {"a": "x", "b": '{"c":[1]}'}


@pytest.mark.parametrize(
    "text", ['a,b\n1,"2\n', "a,b\n1,2,3\n", "a,b\n" + "1,2\n" * 30_000 + "1\n"]
)
def test_what_is_no_csv_is_refused_with_its_origin(tmp_path: Path, text: str) -> None:
    source = tmp_path / "a.csv"
    source.write_text(text)
    with pytest.raises(InputError, match=r"cannot read s3://b/a.csv: ") as caught:
        intake.from_csv(source, tmp_path / "a.parquet", origin="s3://b/a.csv")
    assert "\n" not in str(caught.value)


def test_bytes_that_are_not_utf_8_are_refused(tmp_path: Path) -> None:
    source = tmp_path / "a.csv"
    source.write_bytes("a,b\ncafé,1\n".encode("latin-1"))
    with pytest.raises(InputError, match="cannot read"):
        intake.from_csv(source, tmp_path / "a.parquet")


def test_totals_are_exact_per_account(tmp_path: Path) -> None:
    found = admit(tmp_path, HEAD + line("0.1") * 3)
    assert found == {"1|2|2026-09": {"BilledCost": "0.300000000", "EffectiveCost": "0.300000000"}}


def test_a_missing_column_is_named_with_what_there_is(tmp_path: Path) -> None:
    text = HEAD.replace("EffectiveCost", "Effective") + line()
    with pytest.raises(InputError, match=r"bill.csv: required column missing: EffectiveCost"):
        admit(tmp_path, text)


def test_another_currency_has_its_own_error(tmp_path: Path) -> None:
    with pytest.raises(CurrencyError, match=r"bill.csv: .*EUR"):
        admit(tmp_path, HEAD + line() + line(currency="EUR"))


def test_a_delivery_without_rows_is_refused_unless_that_is_an_answer(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no row was delivered: bill.csv"):
        admit(tmp_path, HEAD)
    assert admit(tmp_path, HEAD, empty=True) == {}
    admit(tmp_path, HEAD + line())
    with pytest.raises(InputError, match="no row was delivered"):
        admit(tmp_path, HEAD, empty=True)


def test_totals_are_kept_by_month(tmp_path: Path) -> None:
    found = admit(tmp_path, HEAD + line(day="2026-08-31") + line() + line())
    assert set(found) == {"1|2|2026-08", "1|2|2026-09"}
