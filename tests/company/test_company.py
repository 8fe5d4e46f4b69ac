"""The demo company is what its README says: whole, small, closed three times, and tied out."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pyarrow
import pytest

from breakeven.verbs.demo import BACKUP, COMPANY
from models.closing.verification import verify
from models.config.settings import Settings
from models.contract.schema import PORTFOLIO
from models.documents.paper import paper
from models.documents.workbook.statement_workbook import workbook
from models.engine.warehouse.snapshots import Snapshots
from models.records import audit
from models.records.closes import Closes
from models.records.restoring import unpack
from tests.support.company import built
from tests.support.documents import calc

MANIFEST: dict[str, Any] = json.loads(COMPANY.with_name("MANIFEST.json").read_text("utf-8"))
LARGEST = 3 * 1024 * 1024
CLOSED = ["2026-07", "2026-08", "2026-09"]
HEADED = 3
"""Rows of a sheet above its figures: title, worth, heads."""


@pytest.fixture(scope="module")
def company(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return built(tmp_path_factory)


@pytest.fixture(scope="module")
def marts(company: Settings) -> Iterator[duckdb.DuckDBPyConnection]:
    published = Snapshots(company.data / "snapshots").current()
    with duckdb.connect(f"{published}", read_only=True) as connection:
        yield connection


def test_it_is_small_and_the_manifest_names_it() -> None:
    content = BACKUP.read_bytes()
    assert hashlib.sha256(content).hexdigest() == MANIFEST["sha256"]
    assert sum(f.stat().st_size for f in COMPANY.parent.rglob("*") if f.is_file()) <= LARGEST
    assert MANIFEST["statement"].startswith("Simulated usage, real list prices.")


def test_no_path_of_the_machine_that_made_it_is_in_it(tmp_path: Path) -> None:
    unpack(BACKUP, tmp_path)
    texts = [f for f in tmp_path.rglob("*.json*") if f.is_file()]
    assert len(texts) > 300
    told = {f.relative_to(tmp_path).as_posix() for f in texts if b'"/' in f.read_bytes()}
    assert told == set()


def test_every_cent_of_its_two_years_is_in_a_bucket(marts: duckdb.DuckDBPyConnection) -> None:
    """The totals of the manifest were added up by the generator, line by line."""
    billed = {
        (month, account): Decimal(amount).quantize(Decimal("1e-6"))
        for month, accounts in MANIFEST["billed"].items()
        for account, amount in accounts.items()
    }
    found = marts.sql(
        "SELECT billing_period, account, sum(billed_cost) FROM spend_daily GROUP BY ALL"
    ).fetchall()
    assert {(m, a): s.quantize(Decimal("1e-6")) for m, a, s in found} == billed
    assert len({month for month, _ in billed}) == 24
    left = marts.sql("SELECT max(abs(remainder)) FROM tie_out WHERE total_source = 'self_check'")
    assert left.fetchall() == [(0,)]


def test_each_workload_has_the_status_that_the_story_says(
    marts: duckdb.DuckDBPyConnection,
) -> None:
    found = dict(marts.sql("SELECT workload, status FROM break_even").fetchall())
    assert found == {
        "atlas-13b": "broke_even",
        "cinder-3b": "not_started",
        "ember-20b": "investing",
        "flint-9b": "broke_even",
        "harbor-70b": "not_comparable",
        "lumen-7b": "recovering",
        "orbit-8b": "insufficient_baseline",
        "quill-6b": "no_investment",
        "scribe-bert": "losing",
        PORTFOLIO: "recovering",
    }


def test_its_closed_months_are_what_their_deliveries_give(company: Settings) -> None:
    """Where this fails after a change of the method, the demo is to be made again."""
    assert [close.month for close in Closes(company.data).every()] == CLOSED
    assert verify(company, CLOSED[-1]).computed_again


def test_what_aws_corrected_in_july_is_an_adjustment_of_september(company: Settings) -> None:
    (close,) = Closes(company.data).versions("2026-09")
    moved = close.statement.tables["adjustments"]
    assert {row["month"] for row in moved} == {"2026-07"}
    assert close.statement.row("scribe-bert")["adjustments"] > 400


def test_its_audit_log_is_whole_and_says_who_closed(company: Settings) -> None:
    assert audit.faults(company.data) == []
    closes = [line for line in audit.lines(company.data) if line["what"] == "close"]
    assert {(line["who"], line["role"]) for line in closes} == {("m.lind", "finance")}


def test_every_sheet_of_the_workbook_has_rows(company: Settings) -> None:
    sheets = calc.cells(workbook(paper(company, "2026-09", None)))
    bare = [name for name, cells in sheets.items() if max(row for row, _ in cells) < HEADED]
    assert len(sheets) == 9
    assert bare == []


def test_the_generator_delivers_the_same_bytes_again() -> None:
    """What breakeven made of them follows: ids and times are the story's."""
    if pyarrow.__version__ != MANIFEST["pyarrow"]:
        pytest.skip(f"Parquet bytes depend on pyarrow: made with {MANIFEST['pyarrow']}")
    command = [sys.executable, f"{COMPANY.with_name('generate.py')}", "--delivered"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert printed.strip() == MANIFEST["delivered"]
