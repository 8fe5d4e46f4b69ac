"""Checks of a delivery: what is refused, and with which words."""

from __future__ import annotations

import gzip
import struct
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from models.contract.errors import InputError
from models.engine.reduction import delivered_files
from models.engine.warehouse import connection
from models.engine.warehouse.table_columns import unbound
from models.intake import concurrent_checks, delivery_checks, text_to_parquet
from models.raw.delivery import Totals
from models.raw.delivery_key import Key
from models.raw.zone import RawZone

HEAD = (
    "BillingAccountId,SubAccountId,ChargePeriodStart,BilledCost,EffectiveCost,"
    "BillingCurrency,ChargeCategory\n"
)


LATIN = pa.StringArray.from_buffers(
    1, pa.py_buffer(struct.pack("2i", 0, 6)), pa.py_buffer("Gebühr".encode("latin-1"))
)
"""A text that another program wrote without asking for its encoding."""


def line(cost: str = "1.25", day: str = "2026-09-01", currency: str = "USD") -> str:
    return f"1,2,{day}T00:00:00Z,{cost},{cost},{currency},Usage\n"


def rows(path: Path) -> list[dict[str, object]]:
    found: list[dict[str, object]] = pq.read_table(path).to_pylist()
    return found


def admit(tmp_path: Path, text: str, *, empty: bool = False) -> Totals:
    source = tmp_path / "bill.csv"
    source.write_text(text)
    with RawZone(tmp_path / "raw").staging(Key("focus", "bill.csv", "all")) as staging:
        text_to_parquet.csv_to_parquet(source, staging.next_path)
        staging.add(staging.next_path, origin="bill.csv")
        totals = delivery_checks.check_delivery(staging, "focus", empty=empty)
        staging.seal("focus", totals=totals)
        return totals


def test_parquet_of_other_programs_is_read(tmp_path: Path) -> None:
    """A column in which nothing is known has no type, and text is bytes, or tags a list."""
    hour = datetime(2026, 9, 1, 5, tzinfo=UTC)
    table = pa.table({
        "BillingAccountId": [b"1"],
        "ChargePeriodStart": pa.array([hour], pa.timestamp("ns", "UTC")),
        "BilledCost": [1.25], "EffectiveCost": [1.25], "BillingCurrency": ["USD"],
        "ChargeCategory": ["Usage"], "SubAccountId": pa.nulls(1),
        "Tags": [[{"key": "workload", "value": "atlas-7b"}]],
        "ChargeClass": pa.nulls(1, pa.float64()),
    })  # fmt: skip
    with RawZone(tmp_path / "raw").staging(Key("focus", "bill", "all")) as staging:
        pq.write_table(table, staging.next_path)
        staging.add(staging.next_path, origin="bill.parquet")
        totals = delivery_checks.check_delivery(staging, "focus")
        staging.seal("focus", totals=totals)
    (delivery,) = RawZone(tmp_path / "raw").live()
    with connection.in_memory() as backend:
        delivered_files.create_lines_view(backend, "lines", delivery.paths)
        kinds = unbound(backend, "lines").schema()
        (row,) = backend.con.execute("FROM lines").fetchall()
    assert [
        str(kinds[name])
        for name in ("BillingAccountId", "SubAccountId", "ChargePeriodStart", "Tags")
    ] == [
        "string",
        "string",
        "timestamp('UTC', 6)",
        "map<string, string>",
    ]
    assert hour in row
    assert {"workload": "atlas-7b"} in row


def test_an_account_written_as_a_double_is_its_number(tmp_path: Path) -> None:
    """pandas writes ids so where a line has none: account 999900000001.0 was no known one."""
    table = pa.table({
        "BillingAccountId": [999900000001.0, None], "SubAccountId": [999900000002.0, None],
        "ChargePeriodStart": ["2026-09-01T00:00:00Z"] * 2, "BilledCost": [1.25, 2.0],
        "EffectiveCost": [1.25, 2.0], "BillingCurrency": ["USD"] * 2,
        "ChargeCategory": ["Usage"] * 2,
    })  # fmt: skip
    with RawZone(tmp_path / "raw").staging(Key("focus", "bill", "all")) as staging:
        pq.write_table(table, staging.next_path)
        staging.add(staging.next_path, origin="b.parquet")
        totals = delivery_checks.check_delivery(staging, "focus")
    assert {*totals} == {"999900000001|999900000002|2026-09", "||2026-09"}


def test_tags_as_a_map_in_one_file_and_as_text_in_another_are_refused(tmp_path: Path) -> None:
    line = {
        "BillingAccountId": ["1"], "ChargePeriodStart": ["2026-09-01T00:00:00Z"],
        "BilledCost": ["1"], "EffectiveCost": ["1"], "BillingCurrency": ["USD"],
        "ChargeCategory": ["Usage"],
    }  # fmt: skip
    as_map = pa.array([[("run", "t1")]], pa.map_(pa.string(), pa.string()))
    with RawZone(tmp_path / "raw").staging(Key("focus", "bill", "all")) as staging:
        for tags in (as_map, ['{"run": "t1"}'], pa.nulls(1)):
            pq.write_table(pa.table(line | {"Tags": tags}), staging.next_path)
            staging.add(staging.next_path, origin="b.parquet")
        with pytest.raises(InputError, match="bill: the column Tags is a map or list in one file"):
            delivery_checks.check_delivery(staging, "focus")


@pytest.mark.parametrize(
    ("column", "values", "said"),
    [
        ("ConsumedQuantity", [float("nan")], "ConsumedQuantity cannot be read: nan"),
        ("BilledCost", [0.5, 1.0, float("nan")], "BilledCost cannot be read: nan"),
        ("ConsumedQuantity", [0.5, 1.0, float("nan")], "ConsumedQuantity cannot be read: nan"),
        ("PricingQuantity", [float("-inf")], "PricingQuantity cannot be read: -inf"),
        ("ConsumedQuantity", [1e30], r"ConsumedQuantity cannot be read: 1e\+30"),
        ("ConsumedQuantity", [[1.0]], r"ConsumedQuantity cannot be read: \[1\.0\]"),
        ("BilledCost", [True], "BilledCost cannot be read: true"),
        ("ListCost", [10**9], "ListCost cannot be read: 1000000000"),
        ("ResourceId", LATIN, "a text in this Parquet file is not UTF-8"),
    ],
)
def test_what_no_build_could_read_is_refused_at_the_pull(
    tmp_path: Path, column: str, values: list[object] | pa.Array, said: str
) -> None:
    line = {
        "BillingAccountId": ["1"], "ChargePeriodStart": ["2026-09-01T00:00:00Z"],
        "BilledCost": [1.0], "EffectiveCost": [1.0], "BillingCurrency": ["USD"],
        "ChargeCategory": ["Usage"],
    }  # fmt: skip
    rows = {name: value * len(values) for name, value in line.items()} | {column: values}
    with RawZone(tmp_path / "raw").staging(Key("focus", "bill", "all")) as staging:
        pq.write_table(pa.table(rows), staging.next_path)
        staging.add(staging.next_path, origin="b.parquet")
        with pytest.raises(InputError, match=f"b.parquet: {said}"):
            delivery_checks.check_delivery(staging, "focus")


@pytest.mark.parametrize("twice", ["BilledCost", "billedcost"])
def test_parquet_with_a_column_twice_is_refused(tmp_path: Path, twice: str) -> None:
    names = ["ChargePeriodStart", "BilledCost", "EffectiveCost", "BillingCurrency",
             "ChargeCategory", twice]  # fmt: skip
    values = ["2026-09-01T00:00:00Z", "1", "1", "USD", "Usage", "1000"]
    with RawZone(tmp_path / "raw").staging(Key("focus", "bill", "all")) as staging:
        table = pa.Table.from_arrays([pa.array([value]) for value in values], names=names)
        pq.write_table(table, staging.next_path)
        staging.add(staging.next_path, origin="b.parquet")
        said = rf"^b.parquet: a column appears twice: {twice} \(deliver it once\)$"
        with pytest.raises(InputError, match=said):
            delivery_checks.check_delivery(staging, "focus")


def test_csv_values_stay_text(tmp_path: Path) -> None:
    source = tmp_path / "a.csv"
    source.write_text('a,b,c\n"0.10",NULL,\n007,"x, ""y""\nz",1e3\n')
    text_to_parquet.csv_to_parquet(source, tmp_path / "a.parquet")
    assert rows(tmp_path / "a.parquet") == [
        {"a": "0.10", "b": None, "c": None},
        {"a": "007", "b": 'x, "y"\nz', "c": "1e3"},
    ]


def test_gzip_is_read_by_the_name_of_the_file(tmp_path: Path) -> None:
    source = tmp_path / "a.csv.gz"
    source.write_bytes(gzip.compress(b"a\n1\n"))
    text_to_parquet.csv_to_parquet(source, tmp_path / "a.parquet")
    assert rows(tmp_path / "a.parquet") == [{"a": "1"}]


def test_the_same_file_becomes_the_same_bytes(tmp_path: Path) -> None:
    source = tmp_path / "a.csv"
    source.write_text("a,b\n" + "".join(f"{n},{n * n}\n" for n in range(300_000)))
    for name in ("one", "two"):
        text_to_parquet.csv_to_parquet(source, tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_a_column_that_is_first_filled_late_is_kept(tmp_path: Path) -> None:
    source = tmp_path / "a.jsonl"
    source.write_text('{"a": 1}\n' * 50_000 + '{"a": "x", "b": {"c": [1]}}\n')
    text_to_parquet.jsonl_to_parquet(source, tmp_path / "a.parquet")
    assert rows(tmp_path / "a.parquet")[-1] == {"a": "x", "b": '{"c":[1]}'}


@pytest.mark.parametrize(
    "text", ['a,b\n1,"2\n', "a,b\n1,2,3\n", "a,b\n" + "1,2\n" * 30_000 + "1\n"]
)
def test_what_is_no_csv_is_refused_with_its_origin(tmp_path: Path, text: str) -> None:
    source = tmp_path / "a.csv"
    source.write_text(text)
    with pytest.raises(InputError, match=r"cannot read s3://b/a.csv: ") as caught:
        text_to_parquet.csv_to_parquet(source, tmp_path / "a.parquet", origin="s3://b/a.csv")
    assert "\n" not in str(caught.value)


MANY = 30_000
PACKED = gzip.compress(b"a,b\n" + b"".join(b"%d,%d\n" % (n, n * n) for n in range(MANY)))
AGAIN = "(correct the file and deliver it again)"
WHOLE = "(deliver the file again, whole)"
UTF_8 = "(save it as UTF-8 and deliver it again)"


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("csv", b"a,b\n1,2\n\n3\n", f"line 4 has 1 values where the header names 2 {AGAIN}"),
        ("csv", b"a,b\n1,2,3\n", f"line 2 has 3 values where the header names 2 {AGAIN}"),
        (
            "csv",
            b"a,b\n" + b'"1\n1",2\n' * MANY + b"1\n",
            f"line 60002 has 1 values where the header names 2 {AGAIN}",
        ),
        (
            "csv",
            b'a,b\n1,2\n3,"4\n',
            f'a quote of line 3 is not closed where it should be {AGAIN}',
        ),
        (
            "csv",
            b'a,b\n1,2\n3,"{"w": "x", "r": "y"}"\n',
            "line 3 has 3 values where the header names 2 and a quote that is not closed in its "
            f"place {AGAIN}",
        ),
        ("csv", b"a,b\r1,2\r3\r", f"line 3 has 1 values where the header names 2 {AGAIN}"),
        (
            "csv",
            "a,b\n1,2\ncafé,1\n".encode("latin-1"),
            f"line 3 is not UTF-8, byte 0xe9 at place 4 {UTF_8}",
        ),
        ("csv", "a,b\n1,2\n".encode("utf-16"), f"the file is UTF-16, not UTF-8 {UTF_8}"),
        ("csv", b"a;b\n1;2,5\n", "the columns are separated by ';' (deliver it with commas)"),
        ("csv", b"a\tb\n1\t2\n", "the columns are separated by tabs (deliver it with commas)"),
        ("csv", b"a,b, A\n1,2,3\n", "the column A appears twice (deliver it once)"),
        ("csv.gz", PACKED[:90_000], f"the file is cut off: its gzip data ends too early {WHOLE}"),
        ("csv.gz", b"a,b\n1,2\n", f"this is not gzip data {WHOLE}"),
        ("jsonl", b'{"a": 1}\n\n{"a": 2,,\n', f"line 3 is not JSON {AGAIN}"),
        ("jsonl", b"{}\n" * MANY + b"{\x1b[2J\n", f"line 30001 is not JSON {AGAIN}"),
        ("jsonl", b'{"a": 1}\n[1, 2]\n', f"line 2 is not a JSON object {AGAIN}"),
        ("jsonl", b'{"a": 1, "a": 2}\n', f"line 1 gives a name twice {AGAIN}"),
        (
            "jsonl",
            '{"a": "é"}\n'.encode("latin-1"),
            f"line 1 is not UTF-8, byte 0xe9 at place 8 {UTF_8}",
        ),
        ("jsonl", b"", f"it holds no line {WHOLE}"),
        ("jsonl", b'{"a": ' + b"7" * 200, f"line 1 is not JSON {AGAIN}"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_named_by_its_line_and_never_quoted(
    tmp_path: Path, name: str, content: bytes, said: str
) -> None:
    source = tmp_path / f"00000.{name}"
    source.write_bytes(content)
    convert = (
        text_to_parquet.jsonl_to_parquet if name == "jsonl" else text_to_parquet.csv_to_parquet
    )
    with pytest.raises(InputError) as caught:
        convert(source, tmp_path / "a.parquet", origin="s3://b/bill")
    assert str(caught.value) == f"cannot read s3://b/bill: {said}"


def test_a_damaged_page_of_parquet_is_named_without_the_readers_words(tmp_path: Path) -> None:
    with RawZone(tmp_path / "raw").staging(Key("focus", "exp", "all")) as staging:
        (tmp_path / "a.csv").write_text(HEAD + "".join(line(str(n)) for n in range(9_000)))
        text_to_parquet.csv_to_parquet(tmp_path / "a.csv", staging.next_path)
        content = bytearray(staging.next_path.read_bytes())
        content[4:24] = b"\xff" * 20
        staging.next_path.write_bytes(content)
        staging.add(staging.next_path, origin="s3://b/bill")
        with pytest.raises(InputError) as caught:
            delivery_checks.check_delivery(staging, "focus")
    said = "cannot read s3://b/bill: a part of this Parquet file is damaged"
    assert str(caught.value) == f"{said} {WHOLE}"


def test_totals_are_exact_per_account(tmp_path: Path) -> None:
    found = admit(tmp_path, HEAD + line("0.1") * 3)
    assert found == {"1|2|2026-09": {"BilledCost": "0.300000000", "EffectiveCost": "0.300000000"}}


def test_a_missing_column_is_named_with_what_there_is(tmp_path: Path) -> None:
    text = HEAD.replace("EffectiveCost", "Effective") + line()
    with pytest.raises(InputError, match=r"bill.csv: required column missing: EffectiveCost"):
        admit(tmp_path, text)


def test_another_currency_has_its_own_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"bill.csv: .*EUR"):
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


def admit_as_they_arrive(tmp_path: Path, *texts: str) -> Totals:
    key = Key("focus", "exp", "all")
    with (
        RawZone(tmp_path / "raw").staging(key) as staging,
        concurrent_checks.concurrent_checks() as checks,
        checks.checking(staging, "focus") as early,
    ):
        for number, text in enumerate(texts):
            source = tmp_path / f"{number}.csv"
            source.write_text(text)
            text_to_parquet.csv_to_parquet(source, staging.next_path)
            staging.arrived(staging.add(staging.next_path, origin=source.name))
        assert list(early) == [file.name for file in staging.files]
        return delivery_checks.check_delivery(staging, "focus", early=early)


def test_files_checked_as_they_arrive_add_up_to_the_delivery(tmp_path: Path) -> None:
    """An account in both, one in the second alone; costs that are nothing, and that cancel out."""
    other = line("0").replace("1,2,", "1,3,")
    found = admit_as_they_arrive(
        tmp_path, HEAD + line("0.1") * 2 + line("-0.3"), HEAD + line("0.1") + other
    )
    nothing = {"BilledCost": "0.000000000", "EffectiveCost": "0.000000000"}
    assert found == {"1|2|2026-09": nothing, "1|3|2026-09": nothing}


def test_the_first_file_that_is_wrong_is_named_whichever_is_checked_first(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^1.csv: .*EUR"):
        admit_as_they_arrive(
            tmp_path,
            HEAD + line(),
            HEAD + line(currency="EUR"),
            HEAD.replace("EffectiveCost", "Effective") + line(),
        )
