"""What asking cost today, a second time in plain SQL over the ledger of requests.

Today is the clock's: the world's `as_of` pins the bill, not who asks AWS now.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import duckdb

from models import build
from tests.world import World

OTHER = "999900000002"


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
    marts = world.build()
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
    first = build.build(marts.settings)
    assert first.published is None
    before = marts.row("SELECT last_success FROM freshness WHERE source = 'focus'")
    journal = world.folder / "data" / "deliveries.jsonl"
    lines = map(json.loads, journal.read_text().splitlines())
    line = [told for told in lines if told["source"] == "focus"][-1]

    def pulled(days: int, error: str) -> build.Built:
        at = datetime.now(UTC) + timedelta(days=days)
        told = {**line, "at": at.isoformat(), "error": error}
        with journal.open("a") as file:
            file.write(json.dumps(told) + "\n")
        return build.build(marts.settings)

    again = pulled(1, "")
    assert again.published is not None
    assert again.snapshot_id == first.snapshot_id
    pulled(2, "refused")
    after = marts.row("SELECT last_success, last_attempt FROM freshness WHERE source = 'focus'")
    assert before["last_success"] < after["last_success"] < after["last_attempt"]
