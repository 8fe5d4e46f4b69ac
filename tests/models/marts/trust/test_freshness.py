"""What asking cost today, a second time in plain SQL over the ledger of requests.

Today is the clock's: the world's `as_of` pins the bill, not who asks AWS now.
"""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest

from models.config.loading import validated_settings
from models.contract.schema import BESIDE, MARTS
from models.engine import build
from models.marts.trust.freshness import freshness
from tests.support.marts.mart_inputs import table
from tests.support.some_marts import some_marts
from tests.support.world import ACCOUNT, World

OTHER = "999900000002"
Told = dict[tuple[str, str | None], dict[str, Any]]
"""Rows by source and account."""


def asked(at: str, source: str, account: str, dollars: str) -> str:
    """A line of the ledger."""
    told = {"at": at, "source": source, "account": account, "operation": "Get", "dollars": dollars}
    return json.dumps(told) + "\n"


def test_every_cent_of_a_days_requests_stands_once(world: World) -> None:
    """Two accounts of one bill, one that is not on it, a feed without any row, a torn line."""
    world.charge("2025-10-28T00:00:00", 1, x_UsageType="Requests-Tier1")
    world.charge("2025-10-28T00:00:00", 1, x_UsageType="Requests-Tier1", BillingAccountId=OTHER)
    now = datetime.now(UTC)
    today, yesterday = f"{now:%Y-%m-%d}T06:00:0", f"{now - timedelta(days=1):%Y-%m-%d}"
    ledger = world.folder / "data" / "requests.jsonl"
    ledger.parent.mkdir()
    ledger.write_text(
        asked(f"{today}1+00:00", "focus", "999900000001", "0.01")
        + asked(f"{today}2+00:00", "focus", OTHER, "0.02")
        + asked(f"{today}3+00:00", "focus", "payer", "0.04")
        + asked(f"{today}4+00:00", "cost_explorer", "payer", "0.08")
        + asked(f"{yesterday}T23:59:59+00:00", "focus", OTHER, "0.16")
        + asked("2025-10-31T06:00:00+00:00", "focus", OTHER, "0.32")
        + f'{{"at": "{today}5'
    )
    marts = some_marts(world.pulled(), "freshness")
    rows = marts.rows("SELECT * FROM freshness WHERE dollars_today > 0 ORDER BY source, account")
    names = ("source", "account", "requests_today", "dollars_today")
    assert [tuple(row[name] for name in names) for row in rows] == [
        ("cost_explorer", "payer", 1, Decimal("0.08")),
        ("focus", "999900000001", 2, Decimal("0.05")),
        ("focus", OTHER, 1, Decimal("0.02")),
    ]
    assert rows[0]["last_success"] is None
    ((paid,),) = duckdb.execute(
        """SELECT sum((line ->> 'dollars')::DECIMAL(18, 9))
        FROM (SELECT unnest(string_split(content, chr(10))) AS line FROM read_text(?))
        WHERE json_valid(line) AND (line ->> 'at')[:10] = ?""",
        [str(ledger), f"{now:%Y-%m-%d}"],
    ).fetchall()
    total = marts.row("SELECT sum(dollars_today) AS dollars FROM freshness")
    assert total["dollars"] == paid == Decimal("0.15")


def test_what_was_asked_and_brought_nothing_new_stands_in_the_snapshot(world: World) -> None:
    """Its id stays, for the bill is the same; a pull that failed is no success."""
    world.charge("2025-10-28T00:00:00", 1, x_UsageType="Requests-Tier1")
    marts = world.build()
    first = marts.row("SELECT snapshot_id FROM snapshot")
    before = marts.row("SELECT last_success FROM freshness WHERE source = 'focus'")
    journal = world.folder / "data" / "deliveries.jsonl"
    lines = map(json.loads, journal.read_text().splitlines())
    line = [told for told in lines if told["source"] == "focus"][-1]

    def pulled(days: int, error: str) -> None:
        at = datetime.now(UTC) + timedelta(days=days)
        told = {**line, "at": at.isoformat(), "error": error}
        with journal.open("a") as file:
            file.write(json.dumps(told) + "\n")

    pulled(1, "")
    again = build.build(marts.settings)
    assert again.published is not None
    assert again.snapshot_id == first["snapshot_id"]
    pulled(2, "refused")
    after = some_marts(marts.settings, "freshness").row(
        "SELECT last_success, last_attempt FROM freshness WHERE source = 'focus'"
    )
    assert before["last_success"] < after["last_success"] < after["last_attempt"]


T = datetime(2025, 10, 31)  # noqa: DTZ001 - as a table has it


def at(day: int, hour: int) -> datetime:
    return T.replace(day=day, hour=hour)


@pytest.fixture(scope="module")
def told() -> Told:
    """A bill of two accounts, one that names none, prices, metrics, and feeds without anything."""
    days = [(ACCOUNT, 26), (ACCOUNT, 27), (ACCOUNT, 29), (ACCOUNT, 29), (OTHER, 31)]
    delivered = [("focus", account, date(2025, 10, day), at(30, 6)) for account, day in days]
    delivered += [
        ("focus", ACCOUNT, date(2025, 11, 2), at(29, 5)),  # a clock that runs ahead
        ("prices", None, date(2025, 10, 1), at(20, 1)),
        ("prices", None, date(2025, 10, 9), at(20, 1)),
        ("metrics", ACCOUNT, date(2025, 10, 30), at(20, 2)),
        ("unlogged", ACCOUNT, date(2025, 10, 30), at(20, 3)),
        ("ahead", ACCOUNT, date(2025, 11, 5), at(20, 4)),
        ("bare", None, date(2025, 10, 20), at(20, 5)),
        ("bare", None, date(2025, 10, 22), at(20, 5)),
    ]
    delivered = [(*row, row[0] in ("focus", "unlogged", "bare")) for row in delivered]
    asked = [
        ("focus", ACCOUNT, "0.01"), ("focus", OTHER, "0.02"), ("focus", OTHER, "0.005"),
        ("focus", "payer", "0.04"), ("explorer", "p1", "0.08"), ("explorer", "p2", "0.16"),
    ]  # fmt: skip
    changes = [
        ("focus", ACCOUNT, "2.50"), ("focus", ACCOUNT, "-1.00"), ("focus", OTHER, None),
        ("focus", OTHER, "3"), ("metrics", OTHER, "9"), ("bare", None, "-0.75"),
    ]  # fmt: skip
    feeds = ("focus", "prices", "metrics", "explorer", "silent")
    restated = ("source", "billing_account", "effective_change", "pulled_at", "settled")
    rows = (
        freshness(
            table(BESIDE["delivered_days"], delivered),
            table(BESIDE["paid_requests"], [(*who, Decimal(cost)) for *who, cost in asked]),
            table(
                {"billing_account": "string", "settled_through": "date"},
                [
                    (ACCOUNT, date(2025, 10, 28)),
                    (OTHER, date(2025, 10, 27)),
                    (None, date(2025, 10, 22)),
                ],
            ),
            table(
                {name: MARTS["restatements"][name] for name in restated},
                [(*who, cost and Decimal(cost), at(29, 1), True) for *who, cost in changes],
            ),
            table(BESIDE["feeds"], [(name, at(31, 7), at(31, 6)) for name in feeds]),
            table(BESIDE["pull_notices"], [("focus", "activate the tag")]),
            validated_settings({"as_of": "2025-10-31"}, home=Path()),
        )
        .to_pyarrow()
        .to_pylist()
    )
    found = {(row["source"], row["account"]): row for row in rows}
    assert len(found) == len(rows)
    return found


def test_each_feed_and_account_has_one_row_with_its_days(told: Told) -> None:
    """To the 29th one of four days is missing; what lies ahead is no news."""
    names = ("newest_day", "gap_days", "settled_through", "notice")
    assert {key: tuple(row[name] for name in names) for key, row in told.items()} == {
        ("focus", ACCOUNT): (date(2025, 10, 29), 1, date(2025, 10, 28), "activate the tag"),
        ("focus", OTHER): (date(2025, 10, 31), 0, date(2025, 10, 27), "activate the tag"),
        ("prices", None): (date(2025, 10, 9), None, None, None),
        ("metrics", ACCOUNT): (date(2025, 10, 30), 0, date(2025, 10, 28), None),
        ("unlogged", ACCOUNT): (date(2025, 10, 30), 0, date(2025, 10, 28), None),
        ("ahead", ACCOUNT): (None, None, date(2025, 10, 28), None),
        ("bare", None): (date(2025, 10, 22), 1, date(2025, 10, 22), None),
        ("explorer", "p1"): (None, None, None, None),
        ("explorer", "p2"): (None, None, None, None),
        ("silent", None): (None, None, None, None),
    }


def test_success_is_the_journals_and_of_several_accounts_each_ones_delivery(told: Told) -> None:
    assert {key: row["last_success"] for key, row in told.items()} == {
        ("focus", ACCOUNT): at(30, 6),
        ("focus", OTHER): at(30, 6),
        ("prices", None): at(31, 6),
        ("metrics", ACCOUNT): at(31, 6),
        ("unlogged", ACCOUNT): at(20, 3),
        ("ahead", ACCOUNT): at(20, 4),
        ("bare", None): at(20, 5),
        ("explorer", "p1"): at(31, 6),
        ("explorer", "p2"): at(31, 6),
        ("silent", None): at(31, 6),
    }


def test_what_was_asked_stands_on_its_account_or_on_the_first(told: Told) -> None:
    names = ("requests_today", "dollars_today")
    paid = {key: tuple(row[name] for name in names) for key, row in told.items()}
    assert {key: row for key, row in paid.items() if row != (0, 0)} == {
        ("focus", ACCOUNT): (2, Decimal("0.05")),
        ("focus", OTHER): (2, Decimal("0.025")),
        ("explorer", "p1"): (1, Decimal("0.08")),
        ("explorer", "p2"): (1, Decimal("0.16")),
    }


def test_a_bill_that_was_restated_says_by_how_much(told: Told) -> None:
    assert {key: row["restated_cost"] for key, row in told.items()} == {
        ("focus", ACCOUNT): Decimal("1.5"),
        ("focus", OTHER): None,
        ("prices", None): None,
        ("metrics", ACCOUNT): None,
        ("unlogged", ACCOUNT): 0,
        ("ahead", ACCOUNT): None,
        ("bare", None): Decimal("-0.75"),
        ("explorer", "p1"): None,
        ("explorer", "p2"): None,
        ("silent", None): None,
    }
