"""A workload is renamed after a month was closed: what was told of it is taken back under its name.

METHOD §8 A's baseline: 4 epochs in 25 h at $16 save $303.50.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from models.closing import closing, draft
from models.closing.monthly_statement import Ask
from models.config.settings import Settings
from models.contract.schema import PORTFOLIO
from models.documents.no_workload import of_no_workload
from models.records.statement import Statement
from tests.support.closing.derived_once import derived_once
from tests.support.world import World

D = Decimal
OLD, NEW = "atlas-7b", "atlas"


def delivered(folder: Path, workload: str) -> Settings:
    """Two GPU runs in May and a Trainium run in June, all under one name."""
    world = World(folder)
    world.run("g1", "p4d.24xlarge", "2025-05-02T00:00:00", 100, 25, 10, workload=workload)
    world.run("g2", "p4d.24xlarge", "2025-05-12T00:00:00", 110, 25, 10, workload=workload)
    world.run("t1", "trn1.32xlarge", "2025-06-02T00:00:00", 25, 16, 4, workload=workload)
    world.charge("2025-10-30T00:00:00", "1.00")
    return world.pulled()


@pytest.fixture(scope="module")
def derivations() -> Iterator[list[Ask]]:
    with derived_once() as asked:
        yield asked


@pytest.fixture(scope="module")
def july(tmp_path_factory: pytest.TempPathFactory, derivations: list[Ask]) -> Statement:
    """June is closed under the old name; the open month, with all under the new one."""
    folder = tmp_path_factory.mktemp("renamed")
    closing.close(delivered(folder, OLD), "2025-06", by="C")
    settings = delivered(folder, NEW)
    assert derivations
    return draft.draft(settings, "2025-07").close.statement


def test_each_name_has_its_adjustment_and_they_add_up_to_the_portfolio(july: Statement) -> None:
    told = ("net_saving", "adjustments", "cumulative_net", "opening_net", "other_change")
    found = {row["workload"]: [row[name] for name in told] for row in july.tables["summary"]}
    assert found == {
        NEW: [0, D("303.50"), D("303.50"), 0, 0],
        OLD: [0, D("-303.50"), 0, D("303.50"), 0],
        PORTFOLIO: [0, 0, D("303.50"), D("303.50"), 0],
    }
    assert of_no_workload(july) is None


def test_a_fiscal_year_has_what_a_name_saved_only_once(july: Statement) -> None:
    year = {r["workload"]: r for r in july.tables["to_date"] if r["period"] == "year"}
    sums = {name: row["net_saving"] + row["adjustments"] for name, row in year.items()}
    assert sums == {NEW: D("303.50"), OLD: 0, PORTFOLIO: D("303.50")}


def test_the_published_month_says_the_same(july: Statement, derivations: list[Ask]) -> None:
    rows = derivations[-1](
        "SELECT workload, adjustments, cumulative_net FROM monthly_summary "
        "WHERE month = '2025-07' ORDER BY workload"
    )
    assert [tuple(row.values()) for row in rows] == [
        (row["workload"], row["adjustments"], row["cumulative_net"])
        for row in sorted(july.tables["summary"], key=lambda row: row["workload"])
    ]
