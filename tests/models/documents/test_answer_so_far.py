"""What a first run says of a company's saving, and which obstacle older months may remove."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest

from models.config.settings import Settings
from models.contract.portfolio import PORTFOLIO
from models.documents import answer_so_far as document
from models.documents.answer_so_far import AnswerSoFar, answer_so_far

SPEND = {
    **dict.fromkeys(("gpu", "trainium", "named", "of_runs"), Decimal(100)),
    "first": date(2026, 9, 1),
    "last": date(2026, 9, 30),
    "rows": 4,
}


def workloads() -> list[dict[str, Any]]:
    """Of `w` one charge has no price; `v` has one charge."""
    charges = "(VALUES ('w', 5.0), ('w', NULL), ('v', 7.0)) AS charge(workload, effective_cost)"
    with duckdb.connect() as con:
        con.execute(f"CREATE TABLE spend_daily AS SELECT *, 'gpu' AS hardware FROM {charges}")
        found = con.execute(document.WORKLOADS).fetchall()
    return [{"workload": name, "cost": cost} for name, cost in found]


class Snapshot:
    """A published snapshot in which the portfolio stands as it is told, with $5,000 of funding."""

    def __init__(self, status: str, saved: Decimal | None) -> None:
        whole = {"workload": PORTFOLIO, "status": status, "reason": "why",
                 "cumulative_net_saving": saved,
                 "cumulative_net": None if saved is None else saved + 5000}  # fmt: skip
        self.tables = {document.SPEND: [SPEND], document.STANDING: [whole]}
        self.tables[document.WORKLOADS] = workloads()

    def rows(self, sql: str, _parameters: object) -> list[dict[str, Any]]:
        return self.tables.get(sql, [])

    def count(self, _mart: str, _filter: str) -> int:
        return 1


def answered(monkeypatch: pytest.MonkeyPatch, status: str, saved: Decimal | None) -> AnswerSoFar:
    @contextmanager
    def published(_folder: Path) -> Iterator[Snapshot]:
        yield Snapshot(status, saved)

    monkeypatch.setattr(document, "published", published)
    return answer_so_far(Settings())


def test_a_saving_is_told_though_nobody_recorded_what_moving_cost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = answered(monkeypatch, "no_investment", Decimal("19338.29"))
    assert found.known[-1] == (
        "In all, moving has saved $19,338.29 so far; its own cost is not recorded."
    )
    assert found.obstacle is not None
    assert "[[investments]]" in found.obstacle.remedy
    assert not found.obstacle.of_older_months
    lost = answered(monkeypatch, "no_investment", Decimal(-500))
    assert "moving has cost $500.00 more than staying on GPU so far" in lost.known[-1]


@pytest.mark.parametrize("status", ["insufficient_baseline", "not_comparable"])
def test_older_months_may_have_the_gpu_runs_that_are_missing(
    monkeypatch: pytest.MonkeyPatch, status: str
) -> None:
    found = answered(monkeypatch, status, None)
    assert "In all" not in found.known[-1]
    assert found.obstacle is not None
    assert found.obstacle.of_older_months


def test_a_workload_with_a_charge_of_unknown_cost_is_told_no_part_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told = [line.partition("; ")[0] for line in answered(monkeypatch, "losing", None).known[1:]]
    assert told == ["v: $7.00", "w: some of its cost is unknown"]
