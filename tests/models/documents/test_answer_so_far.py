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
    **dict.fromkeys(("gpu", "trainium", "named"), Decimal(100)),
    **dict.fromkeys(("machines", "of_workloads", "of_runs"), 4),
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

    def __init__(self, status: str, saved: Decimal | None, spend: dict[str, Any] = SPEND) -> None:
        whole = {"workload": PORTFOLIO, "status": status, "reason": "why",
                 "cumulative_net_saving": saved,
                 "cumulative_net": None if saved is None else saved + 5000}  # fmt: skip
        self.tables = {document.SPEND: [spend], document.STANDING: [whole]}
        self.tables[document.WORKLOADS] = workloads()

    def rows(self, sql: str, _parameters: object) -> list[dict[str, Any]]:
        return self.tables.get(sql, [])

    def count(self, _mart: str, _filter: str) -> int:
        return 1


def answered(
    monkeypatch: pytest.MonkeyPatch,
    status: str,
    saved: Decimal | None,
    spend: dict[str, Any] = SPEND,
) -> AnswerSoFar:
    @contextmanager
    def published(_folder: Path) -> Iterator[Snapshot]:
        yield Snapshot(status, saved, spend)

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


def spent(charges: str) -> dict[str, Any]:
    """What the bill of some charges shows: day, hardware, workload, run, cost."""
    columns = "charge(date, hardware, workload, run, effective_cost)"
    with duckdb.connect() as con:
        con.execute(f"CREATE TABLE spend_daily AS SELECT * FROM (VALUES {charges}) AS {columns}")
        (found,) = con.sql(document.SPEND).fetchall()
        names = [column[0] for column in con.sql(document.SPEND).description]
    return dict(zip(names, found, strict=True))


DAY = "DATE '2026-09-01'"


def test_what_the_bill_has_is_unknown_where_a_cost_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """One of two Trainium charges has no price: they are not the $5 of the other."""
    priced = f"({DAY}, 'gpu', 'w', 'g', 15.0), ({DAY}, 'trainium', NULL, NULL, 5.0)"
    known = answered(monkeypatch, "losing", None, spent(priced)).known[0]
    assert known == (
        "The bill of 2026-09-01 to 2026-09-01 has $20.00 of accelerators: $15.00 GPU, "
        "$5.00 Trainium. 75.0 % names a workload."
    )
    unpriced = spent(f"{priced}, ({DAY}, 'trainium', 'w', 't', NULL)")
    assert answered(monkeypatch, "losing", None, unpriced).known[0] == (
        "The bill of 2026-09-01 to 2026-09-01 has accelerators of which some cost is unknown: "
        "$15.00 GPU, unknown Trainium."
    )


def test_a_machine_of_unknown_cost_is_on_the_bill(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its price is missing, not the machine, nor its tags."""
    nothing = f"({DAY}, 'trainium', 'w', 't', CAST(NULL AS DECIMAL(18, 9)))"
    found = answered(monkeypatch, "losing", None, spent(nothing))
    assert found.known[0].endswith("$0.00 GPU, unknown Trainium.")
    assert found.obstacle is None
