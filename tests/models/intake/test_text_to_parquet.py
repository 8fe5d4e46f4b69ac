"""Delivered text becomes Parquet with every value as it was written."""

from __future__ import annotations

import gzip
import tempfile
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from models.contract.errors import InputError, StorageError
from models.intake.text_to_parquet import csv_to_parquet, jsonl_to_parquet


def converted(
    content: bytes, name: str, convert: Callable[[Path, Path], None]
) -> list[dict[str, object]]:
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / name, Path(folder) / "it's.parquet"
        source.write_bytes(content)
        convert(source, target)
        table = pq.read_table(target)
    assert {str(field.type) for field in table.schema} <= {"string"}
    found: list[dict[str, object]] = table.to_pylist()
    return found


def test_csv_text_that_looks_like_a_number_a_date_or_a_comment_stays_text() -> None:
    content = b"id,cost,day,note\n0012,1.50,2026-09-01,# one\n1e3,-0,01/02/2026, two \n"
    assert converted(content, "a.csv", csv_to_parquet) == [
        {"id": "0012", "cost": "1.50", "day": "2026-09-01", "note": "# one"},
        {"id": "1e3", "cost": "-0", "day": "01/02/2026", "note": " two "},
    ]


def test_an_empty_csv_value_and_the_word_null_are_unknown_and_no_others() -> None:
    content = b"a,b,c\n,NULL,null\nNone,N/A,NaN\n"
    assert converted(content, "a.csv", csv_to_parquet) == [
        {"a": None, "b": None, "c": "null"},
        {"a": "None", "b": "N/A", "c": "NaN"},
    ]


def test_a_header_without_rows_has_its_columns() -> None:
    assert converted(b"a,b\n", "a.csv", csv_to_parquet) == []


@pytest.mark.parametrize("first", [b"\r\n", b"\n"])
@pytest.mark.parametrize("packed", [False, True])
def test_a_file_whose_lines_end_in_two_ways_is_read(first: bytes, packed: bool) -> None:
    other = b"\n" if first == b"\r\n" else b"\r\n"
    content = b"a,b" + first + b'1,"x\r\ny"' + other + b"3,4" + first
    name, content = ("a.csv.gz", gzip.compress(content)) if packed else ("a.csv", content)
    assert converted(content, name, csv_to_parquet) == [
        {"a": "1", "b": "x\r\ny"},
        {"a": "3", "b": "4"},
    ]


def test_a_bad_line_of_a_file_whose_lines_end_in_two_ways_is_named() -> None:
    with pytest.raises(InputError, match="line 3 has 1 values where the header names 2"):
        converted(b"a,b\r\n1,2\n3\r\n", "a.csv", csv_to_parquet)


def test_an_empty_file_is_said_to_be_empty() -> None:
    with pytest.raises(InputError, match=r"a\.csv: it is empty \(deliver the file again, whole\)"):
        converted(b"", "a.csv", csv_to_parquet)


def test_rows_keep_their_order_and_bytes_beyond_ascii() -> None:
    content = "name\n" + "".join(f"é{n}\n" for n in range(5000))
    found = converted(content.encode(), "a.csv", csv_to_parquet)
    assert [row["name"] for row in found] == [f"é{n}" for n in range(5000)]


def test_json_values_are_text_and_inner_ones_are_json() -> None:
    content = b'{"n": 1.5, "t": "x", "b": true, "o": {"k": [1, null]}}\n\n{"n": null, "t": ""}\n'
    assert converted(content, "a.jsonl", jsonl_to_parquet) == [
        {"n": "1.5", "t": "x", "b": "true", "o": '{"k":[1,null]}'},
        {"n": None, "t": "", "b": None, "o": None},
    ]


def test_packed_json_is_read_by_its_name() -> None:
    content = gzip.compress(b'{"a": "0012"}\n')
    assert converted(content, "a.jsonl.gz", jsonl_to_parquet) == [{"a": "0012"}]


def test_a_refused_file_is_called_by_its_path_where_no_origin_is_given(tmp_path: Path) -> None:
    source = tmp_path / "a.csv"
    source.write_text("a;b\n1;2\n")
    with pytest.raises(InputError) as caught:
        csv_to_parquet(source, tmp_path / "a.parquet")
    assert str(caught.value) == (
        f"cannot read {source}: the columns are separated by ';' (deliver it with commas)"
    )
    assert not (tmp_path / "a.parquet").exists()


def test_a_full_disk_is_no_fault_of_the_file(tmp_path: Path) -> None:
    source = tmp_path / "a.csv"
    source.write_text("a\n1\n")
    with pytest.raises(StorageError) as caught:
        csv_to_parquet(source, Path("/dev/full"), origin="s3://b/k")
    message = str(caught.value)
    assert message.startswith("cannot keep s3://b/k: ")
    assert message.endswith("(free some space and run again)")
    assert "\n" not in message
