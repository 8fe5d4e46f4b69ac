"""METHOD §1: settled, ended, cutover."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from models.marts.billed_days import billed_days
from models.marts.settled_accounts import settled_accounts
from models.settings import parse
from tests.by_hand import rows
from tests.conftest import migrated
from tests.tables import table
from tests.world import ACCOUNT, Marts, World

LEFT = "999900000009"
TRN1, P4D = "trn1.32xlarge", "p4d.24xlarge"


def through(marts: Marts) -> dict[str, date]:
    rows = marts.rows(
        "SELECT billing_account, max(date) AS day FROM spend_daily WHERE settled GROUP BY ALL"
    )
    return {row["billing_account"]: row["day"] for row in rows}


def savings_settled(marts: Marts) -> date | None:
    row = marts.row("SELECT max(date) FILTER (settled) AS day FROM savings_daily")
    day: date | None = row["day"]
    return day


def test_a_day_settles_settle_days_before_today(atlas: World) -> None:
    for settle, expected in ((0, 30), (3, 28), (10, 21)):
        marts = atlas.build(cost={"settle_days": settle})
        assert savings_settled(marts) == date(2025, 10, expected)


@pytest.mark.parametrize(
    "said",
    [
        {"ChargeCategory": "Tax"},
        {"ChargeClass": "Correction", "BilledCost": -1, "EffectiveCost": -1},
        {"ServiceName": "AWS Support (Business)"},
    ],
    ids=["tax", "correction", "support"],
)
def test_a_stalled_export_settles_no_day_after_its_newest_charge(
    atlas: World, said: dict[str, object]
) -> None:
    atlas.charges.pop()
    atlas.charge("2025-10-30T00:00:00", 9, **said)
    marts = atlas.build()
    assert savings_settled(marts) == date(2025, 9, 16)
    last = marts.row("SELECT ended_at FROM runs WHERE run = 't3'")
    assert last == {"ended_at": None}


def test_the_slower_account_of_a_workload_holds_it_back(atlas: World) -> None:
    slow = {"BillingAccountId": "slow", "SubAccountId": "slow"}
    tags = {"workload": "atlas-7b", "run": "t3"}
    atlas.hours("2025-09-16T00:00:00", 1, TRN1, 16, tags, **slow)
    atlas.run("h1", TRN1, "2025-10-01T00:00:00", 5, 16, 1, workload="harbor")
    marts = atlas.build()
    assert through(marts)["slow"] == date(2025, 9, 16)
    ends = marts.rows(
        "SELECT workload, max(date) FILTER (settled) AS day FROM savings_daily "
        "GROUP BY workload ORDER BY workload"
    )
    assert [row["day"] for row in ends] == [date(2025, 9, 16), date(2025, 10, 28)]


def test_usage_is_news_and_what_else_is_billed_only_where_there_is_none() -> None:
    days = [
        ("taxed", "Usage", 19), ("taxed", "Usage", 20), ("taxed", "Tax", 20), ("taxed", "Tax", 30),
        ("support", "Tax", 5), ("support", "Credit", 9), ("new", "Usage", 30),
        ("left", "Usage", 1), ("stalled", "Usage", 1),
    ]  # fmt: skip
    bill = table(
        {
            "billing_account": "string",
            "category": "string",
            "class": "string",
            "service": "string",
            "invoiced": "boolean",
            "date": "date",
            "billing_period": "date",
        },
        [
            (account, category, None, None, False, date(2025, 10, day), date(2025, 10, 1))
            for account, category, day in days
        ],
    )
    found = settled_accounts(
        billed_days(bill),
        table(
            {"account": "string", "closed": "date"},
            [("left", date(2025, 10, 1)), ("stalled", date(2025, 10, 2))],
        ),
        table(
            {"billing_account": "string", "month": "string"},
            [("left", "2025-11"), ("stalled", "2025-09")],
        ),
        parse({"as_of": "2025-10-31"}, home=Path()),
    )
    rows = {row["billing_account"]: row for row in found.to_pyarrow().to_pylist()}
    names = ("newest_day", "settled_through")
    assert {account: tuple(row[name].day for name in names) for account, row in rows.items()} == {
        "taxed": (20, 20),
        "support": (9, 9),
        "new": (30, 28),
        "left": (1, 28),
        "stalled": (1, 1),
    }
    months = {account: row["newest_month"] for account, row in rows.items()}
    assert months == dict.fromkeys(rows, "2025-10") | {"left": "2025-11"}


def test_a_day_is_invoiced_once_every_usage_line_of_it_is() -> None:
    """By delivery, where there are several; what is no usage waits for no invoice."""
    day = {"date": date(2025, 10, 1), "billing_period": date(2025, 10, 1)}
    told = [
        ("d1", "a", "Usage", True), ("d1", "a", "Tax", False), ("d1", "b", "Usage", True),
        ("d1", "b", "Usage", False), ("d2", "a", "Usage", False), ("d2", "c", "Tax", False),
    ]  # fmt: skip
    names = ("delivery", "billing_account", "category", "invoiced")
    columns = {
        **dict.fromkeys((*names, "class", "service"), "string"),
        "invoiced": "boolean",
        **dict.fromkeys(day, "date"),
    }
    unsaid = {"class": None, "service": None}
    bill = table(columns, [dict(zip(names, line, strict=True)) | day | unsaid for line in told])
    found = rows(billed_days(bill), "delivery", "billing_account", "used", "invoiced")
    assert found == [
        ("d1", "a", True, True),
        ("d1", "b", True, False),
        ("d2", "a", True, False),
        ("d2", "c", False, True),
    ]


def moved(world: World) -> World:
    """METHOD §8 A that left a payer in September, with its first GPU run and $9 of Trainium.

    That bill's last usage is of the 20th; the tax of the 30th is no news.
    """
    migrated(world)
    left = {"BillingAccountId": LEFT, "SubAccountId": LEFT}
    for line in world.charges:
        if line["ChargePeriodStart"] < "2025-05-10":
            line.update(left)
    tags = {"workload": "atlas-7b", "run": "t3"}
    world.hours("2025-09-20T00:00:00", 1, TRN1, 9, tags, **left)
    world.charge("2025-09-30T00:00:00", 5, ChargeCategory="Tax", **left)
    return world


def closing(world: World, day: str) -> Marts:
    return world.build(accounts=[{"id": LEFT, "closed": day}])


def test_a_closed_payer_account_holds_nothing_back_and_changes_nothing_else(world: World) -> None:
    """By hand: 15 epochs at 175.875 less (400 + 520 + 580 + 9) is 1,129.125 either way."""
    open_ = moved(world).build()
    everything = "SELECT * EXCLUDE (settled) FROM savings_daily ORDER BY workload, date"
    bill = "SELECT * EXCLUDE (settled) FROM spend_daily ORDER BY ALL"
    tied = "SELECT * FROM tie_out ORDER BY ALL"
    before = (open_.rows(everything), open_.rows(bill), open_.rows(tied))
    assert savings_settled(open_) == date(2025, 9, 20)
    assert open_.standing()["cumulative_net"] == Decimal("-8870.875")
    assert open_.row("SELECT ended_at FROM runs WHERE run = 't3'") == {"ended_at": None}
    marts = closing(world, "2025-09-20")
    assert savings_settled(marts) == date(2025, 10, 28)
    assert marts.standing()["cumulative_net"] == Decimal("-8870.875")
    assert marts.row("SELECT ended_at FROM runs WHERE run = 't3'")["ended_at"] is not None
    after = (marts.rows(everything), marts.rows(bill), marts.rows(tied))
    until = [
        [row for row in side[0] if row["date"] <= date(2025, 9, 20)] for side in (before, after)
    ]
    assert until[0] == until[1]
    assert before[1:] == after[1:]
    later = [row for row in after[0] if date(2025, 9, 20) < row["date"] <= date(2025, 10, 28)]
    assert {(row["net_saving"], row["cumulative_net"]) for row in later} == {
        (0, Decimal("-8870.875"))
    }
    through = marts.rows("SELECT account, settled_through FROM freshness WHERE source = 'focus'")
    assert {row["account"]: row["settled_through"] for row in through} == {
        ACCOUNT: date(2025, 10, 28),
        LEFT: date(2025, 10, 28),
    }


def test_a_closed_account_whose_bill_ends_before_it_has_stalled(world: World) -> None:
    assert savings_settled(closing(moved(world), "2025-09-21")) == date(2025, 9, 20)


def test_a_closed_account_ends_with_its_last_charge_of_any_kind(world: World) -> None:
    """The tax of the 30th is the last that the bill has; its last usage is of the 20th."""
    assert savings_settled(closing(moved(world), "2025-09-30")) == date(2025, 10, 28)
    assert savings_settled(closing(world, "2025-10-01")) == date(2025, 9, 20)


REMEDY = (
    ": deliver its export again or, if its bill has ended, set closed = 2025-09-20 in [[accounts]]"
)


def test_usage_after_it_contradicts_closed_which_then_closes_nothing(world: World) -> None:
    marts = closing(moved(world), "2025-09-19")
    assert savings_settled(marts) == date(2025, 9, 20)
    assert (
        "; settled through 2025-09-20 only: nothing newer was delivered for billing account "
        f"{LEFT} (closed = 2025-09-19 is ignored: its bill has usage until 2025-09-20){REMEDY}"
    ) in marts.standing()["reason"]
    rows = marts.rows("SELECT billing_account, contradicted FROM settled_accounts ORDER BY 1")
    assert [tuple(row.values()) for row in rows] == [(ACCOUNT, None), (LEFT, date(2025, 9, 19))]


def test_a_stalled_bill_is_said_with_its_remedy(world: World) -> None:
    said = f"2025-09-20 only: nothing newer was delivered for billing account {LEFT}{REMEDY}"
    for day in ("2025-09-21", None):
        entry = {"id": LEFT} | ({"closed": day} if day else {})
        assert said in moved(World(world.folder)).build(accounts=[entry]).standing()["reason"]


def test_a_run_has_ended_after_settle_days_without_a_charge_or_a_sample(world: World) -> None:
    for name, day in (("a", 25), ("b", 26)):
        world.hours(f"2025-10-{day}T00:00:00", 1, TRN1, 16, {"workload": "atlas-7b", "run": name})
    world.hours("2025-10-20T00:00:00", 1, TRN1, 16, {"workload": "atlas-7b", "run": "c"})
    world.sample("2025-10-20T00:00:00", "c", 0)
    world.sample("2025-10-27T00:00:00", "c", 1)
    world.charge("2025-10-30T00:00:00", 1)
    ended = {row["run"]: row["ended_at"] for row in world.build().rows("SELECT * FROM runs")}
    assert ended["a"] is not None
    assert ended["a"].date() == date(2025, 10, 25)
    assert (ended["b"], ended["c"]) == (None, None)


def test_a_resumed_run_keeps_its_lineage_alive(world: World) -> None:
    for name, day in (("a", 1), ("b", 27)):
        world.hours(f"2025-10-{day:02}T00:00:00", 1, TRN1, 16, {"workload": "w", "run": name})
        parent = "a" if name == "b" else None
        at = f"2025-10-{day:02}T01:00:00"
        world.sample(at, name, 1, workload="w", resumed_from=parent)
    world.charge("2025-10-30T00:00:00", 1)
    rows = world.build().rows("SELECT ended_at FROM runs")
    assert [row["ended_at"] for row in rows] == [None, None]


def test_storage_that_outlives_a_run_does_not_keep_it_alive(atlas: World) -> None:
    tags = {"workload": "atlas-7b"}
    atlas.charge("2025-09-29T00:00:00", 1, tags=tags, x_UsageType="EBS:VolumeUsage.gp3")
    snapshots = {"tags": tags | {"run": "t3"}, "x_UsageType": "EBS:SnapshotUsage"}
    atlas.charge("2025-10-27T00:00:00", "0.01", **snapshots)
    row: dict[str, Any] = atlas.build().row("SELECT ended_at, cost FROM runs WHERE run = 't3'")
    assert row["ended_at"] == datetime(2025, 9, 16, 12, 15)  # noqa: DTZ001 - UTC by contract
    assert row["cost"] > 580


def test_cost_per_epoch_says_which_weeks_and_months_are_whole(atlas: World) -> None:
    for run, day in (("t4", "20"), ("t5", "27")):
        atlas.run(run, TRN1, f"2025-10-{day}T00:00:00", 3, 16, 1)
    rows = atlas.build().rows(
        "SELECT period, period_start, settled FROM cost_per_epoch "
        "WHERE hardware = 'trainium' ORDER BY ALL"
    )
    assert [tuple(row.values()) for row in rows] == [
        ("month", date(2025, 9, 1), True),
        ("month", date(2025, 10, 1), False),
        ("week", date(2025, 9, 1), True),
        ("week", date(2025, 9, 8), True),
        ("week", date(2025, 9, 15), True),
        ("week", date(2025, 10, 20), True),
        ("week", date(2025, 10, 27), False),
    ]
    september = "period = 'month' AND period_start = '2025-09-01' AND hardware = 'trainium'"
    for days, settled in ((31, True), (32, False)):
        marts = atlas.build(cost={"settle_days": days})
        found = marts.row(f"SELECT settled FROM cost_per_epoch WHERE {september}")
        assert found == {"settled": settled}


def test_a_month_is_final_once_every_usage_line_is_invoiced(bill: World) -> None:
    bill.charge("2025-09-02T00:00:00", 1, InvoiceId="inv-1")
    bill.charge("2025-09-03T00:00:00", 2, InvoiceId="inv-1")
    bill.charge("2025-10-02T00:00:00", 4, InvoiceId="inv-2")
    bill.charge("2025-10-03T00:00:00", 8)
    bill.charge("2025-09-04T00:00:00", 16, ChargeCategory="Tax")
    bill.charge("2025-08-04T00:00:00", 32, ChargeCategory="Tax", InvoiceId="inv-0")
    rows = bill.build().rows("SELECT final FROM spend_daily ORDER BY billed_cost")
    assert [row["final"] for row in rows] == [True, True, False, False, True, False]


def test_what_is_billed_after_a_run_has_ended_keeps_it_not_alive(atlas: World) -> None:
    """Refunds by the dollar or with an hour, on a settled day or not; a dollar more; traffic."""
    asked = "SELECT run, ended_at FROM runs ORDER BY run"
    ended = atlas.build().rows(asked)
    back = {"ChargeClass": "Correction", "ResourceId": "i-1"}
    t3, g2 = ({"workload": "atlas-7b", "run": run} for run in ("t3", "g2"))
    atlas.charge("2025-10-28T00:00:00", -1, tags=t3, x_UsageType=f"BoxUsage:{TRN1}", **back)
    atlas.charge("2025-10-27T00:00:00", -2, tags=t3, x_UsageType="NatGateway-Bytes", **back)
    atlas.charge("2025-10-26T00:00:00", 1, tags=t3, x_UsageType=f"BoxUsage:{TRN1}", **back)
    atlas.charge("2025-10-26T00:00:00", "0.01", tags=t3, x_UsageType="DataTransfer-Out-Bytes")
    atlas.hours("2025-10-20T00:00:00", -1, P4D, 25, g2, **back)
    atlas.hours("2025-10-30T00:00:00", -1, P4D, 25, g2, **back)
    marts = atlas.build()
    assert marts.rows(asked) == ended
    assert marts.row("SELECT cost FROM runs WHERE run = 't3'") == {"cost": Decimal("578.01")}
