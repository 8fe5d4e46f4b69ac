"""Cells of an export, from Arrow rows to the text of CSV and JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.documents.exports.extract import Extract
from models.documents.exports.files import to_csv, to_json

D = Decimal
MONEY = pa.decimal128(38, 9)
REASONS = pa.map_(pa.string(), MONEY)


def written(
    to: Callable[[Extract, Callable[[str], object]], None],
    columns: dict[str, pa.DataType],
    *rows: dict[str, Any],
) -> str:
    shape = pa.schema(list(columns.items()))
    batches = [pa.RecordBatch.from_pylist([row], schema=shape) for row in rows]
    parts: list[str] = []
    to(Extract("any", shape, iter(batches)), parts.append)
    return "".join(parts)


@pytest.mark.parametrize(
    ("name", "kind", "value", "in_json", "in_csv"),
    [
        ("cost", MONEY, None, "null", ""),
        ("cost", MONEY, D("1234.5"), '"1234.50"', "1234.50"),
        ("cost", MONEY, D(0), '"0.00"', "0.00"),
        ("cost", MONEY, D("-0.000000001"), '"-0.000000001"', "-0.000000001"),
        ("epochs", MONEY, D("3.840000000"), "3.84", "3.84"),
        ("epochs", MONEY, D("4.000000000"), "4", "4"),
        ("epochs", MONEY, None, "null", ""),
        ("day", pa.date32(), date(2026, 9, 1), '"2026-09-01"', "2026-09-01"),
        (
            "at",
            pa.timestamp("us"),
            datetime(2026, 9, 1, 7, 30),  # noqa: DTZ001 - columns hold UTC without saying so
            '"2026-09-01T07:30:00"',
            "2026-09-01T07:30:00",
        ),
        ("settled", pa.bool_(), True, "true", "true"),
        ("settled", pa.bool_(), False, "false", "false"),
        ("settled", pa.bool_(), None, "null", ""),
        ("runs", pa.int64(), -3, "-3", "-3"),
        ("run", pa.string(), "-3", '"-3"', "-3"),
        ("run", pa.string(), "-a", '"-a"', "'-a"),
        ("run", pa.string(), "", '""', ""),
        ("run", pa.string(), "ü", '"ü"', "ü"),
        ("flags", pa.list_(pa.string()), [], "[]", "[]"),
        ("flags", pa.list_(pa.string()), ["a"], '["a"]', '"[""a""]"'),
        ("left_out", REASONS, [("a", D("1.5"))], '{"a": "1.50"}', '"{""a"": ""1.50""}"'),
        ("left_out", REASONS, [("a", None)], '{"a": null}', '"{""a"": null}"'),
        ("left_out", REASONS, [], "{}", "{}"),
        ("left_out", REASONS, None, "null", ""),
    ],
)
def test_a_value_is_written_so(
    name: str, kind: pa.DataType, value: object, in_json: str, in_csv: str
) -> None:
    columns, row = {"n": pa.int64(), name: kind}, {"n": 7, name: value}
    assert written(to_json, columns, row) == f'[\n{{"n": 7, "{name}": {in_json}}}\n]\n'
    assert written(to_csv, columns, row) == f"n,{name}\n7,{in_csv}\n"


def test_without_rows_there_is_a_head_in_csv_and_an_empty_list_in_json() -> None:
    columns = {"workload": pa.string(), "cost": MONEY}
    assert written(to_csv, columns) == "workload,cost\n"
    assert json.loads(written(to_json, columns)) == []


def test_rows_of_several_batches_are_one_document_in_order() -> None:
    columns, rows = {"run": pa.string()}, [{"run": name} for name in "bca"]
    assert json.loads(written(to_json, columns, *rows)) == rows
    assert written(to_csv, columns, *rows) == "run\nb\nc\na\n"


@settings(max_examples=40)
@given(st.decimals(-(10**18), 10**18, allow_nan=False, places=9), st.text(max_size=10))
def test_money_and_names_are_read_back_exactly(amount: Decimal, name: str) -> None:
    columns = {"cost": MONEY, "run": pa.string()}
    row = {"cost": amount, "run": name}
    (found,) = json.loads(written(to_json, columns, row))
    assert (D(found["cost"]), found["run"]) == (amount, name)
    (line,) = csv.DictReader(io.StringIO(written(to_csv, columns, row), newline=""))
    assert D(line["cost"]) == amount
