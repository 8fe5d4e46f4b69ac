"""The words for dollars that wait; which these are is the matter of the mart `unsettled_spend`."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import Any

import duckdb
import pytest

from models.closing.unsettled_days import unsettled_days
from models.documents.unsettled_spend import Waiting, waiting, waiting_of_month

TABLES = """
CREATE TABLE unsettled_spend (date DATE, waits_for TEXT, cost DECIMAL(18, 9));
CREATE TABLE savings_daily (date DATE, workload TEXT, settled BOOLEAN);
INSERT INTO savings_daily VALUES ('2026-09-30', 'w', false), ('2026-10-01', 'w', false),
    ('2026-10-02', 'w', true), ('2026-10-02', 'v', false)"""


class Snapshot:
    """Days that wait, by month, and two workloads of which `w` waits on two of these."""

    def __init__(self, con: duckdb.DuckDBPyConnection) -> None:
        self.con = con
        con.execute(TABLES)

    def add(self, day: date, waits_for: str, cost: Decimal | None) -> None:
        self.con.execute("INSERT INTO unsettled_spend VALUES (?, ?, ?)", [day, waits_for, cost])

    def ask(self, sql: str) -> list[dict[str, Any]]:
        found = self.con.execute(sql)
        names = [column[0] for column in found.description or ()]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


@pytest.fixture
def snapshot() -> Iterator[Snapshot]:
    with duckdb.connect() as con:
        yield Snapshot(con)


def of_month(snapshot: Snapshot, month: str) -> Waiting:
    return waiting_of_month(unsettled_days(snapshot.ask, month))


def test_where_nothing_waits_nothing_is_said(snapshot: Snapshot) -> None:
    assert waiting(snapshot.ask) == of_month(snapshot, "2026-08") == Waiting()
    assert waiting(snapshot.ask).text == ""


def test_dollars_of_days_are_a_sentence_for_each_cause(snapshot: Snapshot) -> None:
    snapshot.add(date(2026, 10, 1), "allocations", Decimal("9.5"))
    snapshot.add(date(2026, 10, 2), "allocations", Decimal(1000))
    snapshot.add(date(2026, 10, 2), "bill", Decimal(0))
    assert waiting(snapshot.ask).text == (
        "$1,010 of shared machines on 2 days (1 Oct 2026 to 2 Oct 2026) waits for "
        "allocations and is in no figure yet. $0 delivered so far on 2 Oct 2026 waits for "
        "the rest of the bill and is in no figure yet."
    )


def test_days_with_others_between_them_are_counted_and_not_listed(snapshot: Snapshot) -> None:
    for number in (1, 2, 5):
        snapshot.add(date(2026, 10, number), "bill", Decimal(400))
    said = (
        "$1,200 delivered so far on 3 days between 1 Oct 2026 and 5 Oct 2026 waits for the rest of "
    )
    assert waiting(snapshot.ask).bill.startswith(said)


def test_a_cost_without_a_price_is_unknown_and_not_the_rest_of_it(snapshot: Snapshot) -> None:
    snapshot.add(date(2026, 10, 1), "allocations", Decimal("9.5"))
    snapshot.add(date(2026, 10, 2), "allocations", None)
    assert waiting(snapshot.ask).text.startswith("An unknown cost of shared machines on 2 days")


def test_a_month_has_its_own_days_of_each_workload_and_in_all(snapshot: Snapshot) -> None:
    snapshot.add(date(2026, 9, 30), "allocations", Decimal(5))
    for day, why in ((1, "allocations"), (2, "allocations"), (2, "bill")):
        snapshot.add(date(2026, 10, day), why, Decimal(1))
    assert of_month(snapshot, "2026-10").days == {"(portfolio)": 2, "w": 1, "v": 1}
    assert of_month(snapshot, "2026-09").days == {"(portfolio)": 1, "w": 1}


def test_days_without_a_delivered_dollar_are_not_counted_either(snapshot: Snapshot) -> None:
    october = of_month(snapshot, "2026-10")
    assert (october.text, october.days) == ("", {"(portfolio)": 2, "w": 1, "v": 1})


def test_a_statement_has_the_days_and_dollars_by_workload_and_by_what_they_wait_for(
    snapshot: Snapshot,
) -> None:
    snapshot.add(date(2026, 10, 3), "allocations", Decimal(5))
    first, third = date(2026, 10, 1), date(2026, 10, 3)
    assert [tuple(row.values()) for row in unsettled_days(snapshot.ask, "2026-10")] == [
        ("(portfolio)", None, 3, first, third, None),
        ("(portfolio)", "allocations", 1, third, third, 5),
        ("v", None, 1, date(2026, 10, 2), date(2026, 10, 2), None),
        ("w", None, 1, first, first, None),
    ]
