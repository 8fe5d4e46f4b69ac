"""Cells and control totals of the machine-readable statement, at their edges."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from decimal import Decimal
from typing import Any

from models.documents import statement_tables
from models.documents.paper import Paper
from models.records.columns import TABLES
from models.records.statement import Statement
from tests.support.documents.papers import FACTS, tables

D = Decimal


def held(name: str, rows: list[dict[str, Any]]) -> Paper:
    """A draft whose table `name` holds these rows."""
    return Paper(Statement("2026-09", FACTS, tables() | {name: rows}))


def cells(paper: Paper, name: str) -> list[dict[str, str]]:
    with zipfile.ZipFile(io.BytesIO(statement_tables.to_csv(paper))) as file:
        text = file.read(f"{name}.csv").decode()
    return list(csv.DictReader(io.StringIO(text, newline="")))


def totals(paper: Paper, name: str) -> dict[str, tuple[int, Decimal]]:
    found = statement_tables.control_totals(paper)
    return {row["column"]: (row["rows"], row["total"]) for row in found if row["table"] == name}


def test_an_unknown_amount_counts_as_a_row_and_adds_nothing() -> None:
    run = tables()["runs"][0]
    three = [{**run, "cost": amount} for amount in (D("0.1"), None, D("0.000000002"))]
    assert totals(held("runs", three), "runs")["cost"] == (3, D("0.100000002"))


def test_a_table_without_rows_has_totals_of_zero() -> None:
    found = totals(held("runs", []), "runs")
    assert set(found) == {name for name, kind in TABLES["runs"].items() if kind[:7] == "decimal"}
    assert set(found.values()) == {(0, D(0))}


def test_a_draft_has_no_version_and_says_what_it_is() -> None:
    said = json.loads(statement_tables.to_json(held("runs", [])))
    assert "version" not in said
    assert said["stand"] == "Draft as of 2026-10-12: the month is not closed"
    assert {row["total"] for row in said["control_totals"] if row["table"] == "runs"} == {"0.00"}


def test_cells_are_exact_decimals_iso_dates_json_maps_and_blanks() -> None:
    (row,) = [row for row in tables()["summary"] if row["workload"] == "(portfolio)"]
    maps = {"left_out": {"a \u00fc": D("1.5"), "b": None}, "flagged": {}}
    exact = {"net_saving": D("-0.000000001"), "saving_at_list": None, "investment": D("1E+3")}
    (cell,) = cells(held("summary", [{**row, **maps, **exact}]), "summary")
    assert cell["left_out"] == '{"a ü": "1.50", "b": null}'
    assert cell["flagged"] == "{}"
    assert cell["net_saving"] == "-0.000000001"
    assert (cell["saving_at_list"], cell["investment"]) == ("", "1000.00")
    assert cell["settled_through"] == "2026-09-30"


def test_truth_is_written_in_small_letters_and_counts_as_they_are() -> None:
    run = tables()["baseline_runs"][0]
    paper = held("baseline_runs", [run, {**run, "qualifies": False, "lineage": '+a,"b"'}])
    told = [(row["qualifies"], row["lineage"]) for row in cells(paper, "baseline_runs")]
    assert told == [("true", "g1"), ("false", '\'+a,"b"')]


def test_control_totals_are_those_that_a_reader_of_the_csv_adds_up() -> None:
    paper = held("runs", tables()["runs"])
    for row in cells(paper, "control_totals"):
        read = cells(paper, row["table"])
        assert int(row["rows"]) == len(read)
        assert D(row["total"]) == sum(D(one[row["column"]] or 0) for one in read), row
