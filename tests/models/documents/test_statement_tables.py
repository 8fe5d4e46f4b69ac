"""The statement for machines."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from decimal import Decimal

import pyarrow.parquet as pq

from models.documents import statement_tables
from models.documents.paper import Paper
from models.records.columns import TABLES
from models.records.statement import Statement, read
from tests.support.documents.papers import FACTS, NASTY, paper, tables

D = Decimal


def unzipped(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        return {name: file.read(name) for name in file.namelist()}


def rows(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode(), newline="")))


def test_json_is_the_close_with_totals_that_a_reader_can_check() -> None:
    said = json.loads(statement_tables.to_json(paper()))
    assert (said["version"], said["sha256"]) == (2, paper().statement.sha256)
    assert read(said["statement"]).sha256 == said["sha256"]
    totals = {(row["table"], row["column"]): row for row in said["control_totals"]}
    assert totals["runs", "cost"] == {
        "table": "runs",
        "column": "cost",
        "rows": 1,
        "total": "700.15",
    }
    assert totals["tie_out", "bill_total"]["total"] == "825.67"
    assert len(said["columns"]) == sum(len(columns) for columns in TABLES.values())


def test_csv_has_every_table_and_no_formula() -> None:
    files = unzipped(statement_tables.to_csv(paper()))
    assert set(files) == {f"{name}.csv" for name in (*TABLES, "control_totals", "columns")}
    summary = rows(files["summary.csv"])
    assert [row["workload"] for row in summary] == ["atlas-7b", f"'{NASTY}", "(portfolio)"]
    assert [row["net_saving"] for row in summary] == ["1300.05", "-31.75", "1268.30"]
    assert summary[0]["saving_at_list"] == ""
    assert summary[2]["left_out"] == '{"not_comparable": "33.33"}'
    assert rows(files["runs.csv"])[0]["run"] == "'@SUM(1)  +2"
    heads = {name: files[f"{name}.csv"].decode().split("\r\n")[0].split(",") for name in TABLES}
    assert heads == {name: list(columns) for name, columns in TABLES.items()}
    bare = tables() | {"adjustments": []}
    draft = unzipped(statement_tables.to_csv(Paper(Statement("2026-09", FACTS, bare))))
    assert draft["adjustments.csv"].decode() == ",".join(TABLES["adjustments"]) + "\r\n"


def test_parquet_keeps_the_types() -> None:
    files = unzipped(statement_tables.to_parquet(paper()))
    found = pq.read_table(io.BytesIO(files["summary.parquet"]))
    assert found.column("net_saving").to_pylist() == [D("1300.05"), D("-31.75"), D("1268.30")]
    assert found.column("settled_through").type == "date32[day]"
    assert found.column("flagged").to_pylist()[2] == [("unverified", D("44.44"))]


def test_the_bytes_are_the_same_whenever_they_are_written() -> None:
    for made in (statement_tables.to_json, statement_tables.to_csv, statement_tables.to_parquet):
        assert made(paper()) == made(paper())
