"""METHOD §1: settled, ended, cutover."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from models.config.loading import validated_settings
from models.contract.schema import MONEY
from models.marts.cost.settled_days.billed_days import billed_days
from models.marts.cost.settled_days.settled_accounts import settled_accounts
from tests.conftest import migrated
from tests.support.marts.hand_written_tables import rows
from tests.support.marts.mart_inputs import table
from tests.support.some_marts import copied, some_marts
from tests.support.world import ACCOUNT, Marts, World

TRN1, P4D = "trn1.32xlarge", "p4d.24xlarge"
COMPARED = ("savings_daily", "spend_daily", "tie_out", "runs", "break_even")
NO_USAGE = {
    "tax": {"ChargeCategory": "Tax"},
    "correction": {"ChargeClass": "Correction", "BilledCost": -1, "EffectiveCost": -1},
    "support": {"ServiceName": "AWS Support (Business)"},
}


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    """One company, with a workload for each case or, where a bill is told of, a payer."""
    world = migrated(World(tmp_path_factory.mktemp("settled")))
    for case in (slow, ending, resumed, outlived, corrected, whole, invoiced):
        case(world)
    for kind, said in NO_USAGE.items():
        stalled(world, kind, said)
    return some_marts(world.pulled(), "savings_daily", "runs", "spend_daily", "cost_per_epoch")


COSTS = {"billed_cost": MONEY, "effective_cost": MONEY}


def savings_settled(marts: Marts, workload: str = "atlas-7b") -> date | None:
    query = "SELECT max(date) FILTER (settled) AS day FROM savings_daily WHERE workload = ?"
    day: date | None = marts.row(query, workload)["day"]
    return day


def ended(marts: Marts, workload: str = "atlas-7b") -> dict[str, datetime | None]:
    rows = marts.rows("SELECT run, ended_at FROM runs WHERE workload = ?", workload)
    return {row["run"]: row["ended_at"] for row in rows}


def test_a_day_settles_settle_days_before_today(marts: Marts) -> None:
    assert savings_settled(marts) == date(2025, 10, 28)


@pytest.fixture(scope="module")
def delivered(tmp_path_factory: pytest.TempPathFactory) -> World:
    """METHOD §8 A, not built yet."""
    world = migrated(World(tmp_path_factory.mktemp("delivered")))
    world.pulled()
    return world


@pytest.mark.parametrize(
    ("settle", "last", "whole"),
    [(31, "2025-09-30", True), (32, "2025-09-29", False)],
)
def test_settle_days_are_the_configs(delivered: World, settle: int, last: str, whole: bool) -> None:
    """Of a month whose last day is not settled nothing is said as of a whole one."""
    settings = delivered.settings(cost={"settle_days": settle})
    marts = some_marts(settings, "savings_daily", "cost_per_epoch")
    assert savings_settled(marts) == date.fromisoformat(last)
    september = "period = 'month' AND period_start = '2025-09-01' AND hardware = 'trainium'"
    found = marts.row(f"SELECT settled FROM cost_per_epoch WHERE {september}")
    assert found == {"settled": whole}


def stalled(world: World, kind: str, said: dict[str, object]) -> None:
    """METHOD §8 A on a bill of its own that has no usage since, and a line of the 30th."""
    before = len(world.charges)
    migrated(world, kind)
    world.charges.pop()
    world.charge("2025-10-30T00:00:00", 9, **said)
    for line in world.charges[before:]:
        line |= {"BillingAccountId": kind, "SubAccountId": kind}


@pytest.mark.parametrize("kind", NO_USAGE)
def test_a_stalled_export_settles_no_day_after_its_newest_charge(marts: Marts, kind: str) -> None:
    assert savings_settled(marts, kind) == date(2025, 9, 16)
    assert ended(marts, kind)["t3"] is None


def slow(world: World) -> None:
    payer = {"BillingAccountId": "slow", "SubAccountId": "slow"}
    world.run("t1", TRN1, "2025-10-01T00:00:00", 5, 16, 1, workload="slow")
    tags = {"workload": "slow", "run": "t1"}
    world.hours("2025-09-16T00:00:00", 1, TRN1, 16, tags, **payer)


def test_the_slower_account_of_a_workload_holds_it_back(marts: Marts) -> None:
    """And no other workload."""
    row = marts.row(
        "SELECT max(date) AS day FROM spend_daily WHERE settled AND billing_account = 'slow'"
    )
    assert row["day"] == date(2025, 9, 16)
    assert savings_settled(marts, "slow") == date(2025, 9, 16)
    assert savings_settled(marts) == date(2025, 10, 28)


def test_usage_is_news_and_what_else_is_billed_only_where_there_is_none() -> None:
    days = [
        ("taxed", "Usage", 19), ("taxed", "Usage", 20), ("taxed", "Tax", 20), ("taxed", "Tax", 30),
        ("support", "Tax", 5), ("support", "Credit", 9), ("new", "Usage", 30),
        ("left", "Usage", 1), ("stalled", "Usage", 1), ("back", "Usage", 1), ("back", "Usage", 7),
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
            **COSTS,
        },
        [
            (account, category, None, None, False, date(2025, 10, day), date(2025, 10, 1), 1, 1)
            for account, category, day in days
        ],
    )
    found = settled_accounts(
        billed_days(bill),
        table(
            {"account": "string", "closed": "date"},
            [(of, date(2025, 10, day)) for of, day in (("left", 1), ("stalled", 2), ("back", 1))],
        ),
        table(
            {"billing_account": "string", "month": "string"},
            [("left", "2025-11"), ("stalled", "2025-09")],
        ),
        validated_settings({"as_of": "2025-10-31"}, home=Path()),
    )
    rows = {row["billing_account"]: row for row in found.to_pyarrow().to_pylist()}
    names = ("newest_day", "settled_through")
    assert {account: tuple(row[name].day for name in names) for account, row in rows.items()} == {
        "taxed": (20, 20),
        "support": (9, 9),
        "new": (30, 28),
        "left": (1, 28),
        "stalled": (1, 1),
        "back": (7, 7),
    }
    months = {account: row["newest_month"] for account, row in rows.items()}
    assert months == dict.fromkeys(rows, "2025-10") | {"left": "2025-11"}


def test_without_settle_days_all_that_is_billed_is_settled() -> None:
    """To the newest usage or, of an account that has closed, to today."""
    usual = {"class": "string", "service": "string", "invoiced": "boolean", "category": "string"}
    days = {"billing_account": "string", **usual, "date": "date", "billing_period": "date", **COSTS}
    october, newest = date(2025, 10, 1), date(2025, 10, 30)
    lines = [("open", newest), ("closed", october)]
    found = settled_accounts(
        billed_days(
            table(days, [(of, None, None, False, "Usage", day, october, 1, 1) for of, day in lines])
        ),
        table({"account": "string", "closed": "date"}, [("closed", october)]),
        table({"billing_account": "string", "month": "string"}, [("closed", "2025-11")]),
        validated_settings({"as_of": "2025-10-31", "cost": {"settle_days": 0}}, home=Path()),
    )
    through = rows(found, "billing_account", "settled_through")
    assert sorted(through) == [("closed", date(2025, 10, 31)), ("open", newest)]


def test_a_day_is_invoiced_once_all_usage_of_it_that_costs_something_is() -> None:
    """By delivery, where there are several; what is no usage, or is free, waits for no invoice."""
    day = {"date": date(2025, 10, 1), "billing_period": date(2025, 10, 1)}
    told = [
        ("d1", "a", "Usage", True, 1), ("d1", "a", "Tax", False, 1), ("d1", "b", "Usage", True, 1),
        ("d1", "b", "Usage", False, 1), ("d2", "a", "Usage", False, 1),
        ("d2", "c", "Tax", False, 1),
        ("d3", "a", "Usage", True, 1), ("d3", "a", "Usage", False, 0),
        ("d3", "b", "Usage", False, 0), ("d3", "c", "Usage", True, 0),
        ("d3", "d", "Usage", False, None),
    ]  # fmt: skip
    names = ("delivery", "billing_account", "category", "invoiced", "billed_cost")
    columns = {
        **dict.fromkeys((*names, "class", "service"), "string"),
        "invoiced": "boolean",
        **COSTS,
        **dict.fromkeys(day, "date"),
    }
    unsaid = {"class": None, "service": None, "effective_cost": 0}
    bill = table(columns, [dict(zip(names, line, strict=True)) | day | unsaid for line in told])
    found = rows(billed_days(bill), "delivery", "billing_account", "used", "invoiced")
    assert found == [
        ("d1", "a", True, True),
        ("d1", "b", True, False),
        ("d2", "a", True, False),
        ("d2", "c", False, True),
        ("d3", "a", True, True),
        ("d3", "b", False, True),
        ("d3", "c", True, True),
        ("d3", "d", True, False),
    ]


CLOSED = {
    "atlas-7b": "2025-09-20",
    "a day late": "2025-09-21",
    "with its tax": "2025-09-30",
    "after its tax": "2025-10-01",
    "too early": "2025-09-19",
    "open": None,
}
"""When the payer that a workload left is said to have closed, by the workload."""
LEFT = {workload: f"99990000001{number}" for number, workload in enumerate(CLOSED)}


def moved(world: World) -> World:
    """METHOD §8 A that left a payer in September, with its first GPU run and $9 of Trainium.

    That bill's last usage is of the 20th; the tax of the 30th is no news.
    """
    for workload, payer in LEFT.items():
        left = {"BillingAccountId": payer, "SubAccountId": payer}
        before = len(world.charges)
        migrated(world, workload)
        for line in world.charges[before:]:
            if line["ChargePeriodStart"] < "2025-05-10":
                line.update(left)
        tags = {"workload": workload, "run": "t3"}
        world.hours("2025-09-20T00:00:00", 1, TRN1, 9, tags, **left)
        world.charge("2025-09-30T00:00:00", 5, ChargeCategory="Tax", **left)
    return world


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    accounts = [
        {"id": LEFT[workload]} | ({"closed": day} if day else {})
        for workload, day in CLOSED.items()
    ]
    settings = moved(World(tmp_path_factory.mktemp("closed"))).pulled(accounts=accounts)
    return some_marts(settings, *COMPARED, "freshness", "settled_accounts")


def test_a_closed_payer_account_holds_nothing_back_and_changes_nothing_else(
    tmp_path: Path, closed: Marts
) -> None:
    """By hand: 15 epochs at 175.875 less (400 + 520 + 580 + 9) is 1,129.125 either way."""
    open_ = some_marts(copied(closed, tmp_path, accounts=[]), *COMPARED)
    for marts, last in ((open_, date(2025, 9, 20)), (closed, date(2025, 10, 28))):
        assert savings_settled(marts) == last
        assert marts.standing()["cumulative_net"] == Decimal("-8870.875")
    assert ended(open_)["t3"] is None
    assert ended(closed)["t3"] is not None
    # the old volume grows with every day that is settled, so what stands on it does, too
    days = "SELECT * EXCLUDE (settled, saving_at_old_volume) FROM savings_daily"
    days += " WHERE workload = 'atlas-7b' AND date"
    until = f"{days} <= '2025-09-20' ORDER BY date"
    bill = "SELECT * EXCLUDE (settled) FROM spend_daily ORDER BY ALL"
    for same in (until, bill, "SELECT * FROM tie_out ORDER BY ALL"):
        assert open_.rows(same) == closed.rows(same) != []
    later = closed.rows(f"{days} BETWEEN '2025-09-21' AND '2025-10-28'")
    assert {(row["net_saving"], row["cumulative_net"]) for row in later} == {
        (0, Decimal("-8870.875"))
    }
    rows = closed.rows("SELECT account, settled_through FROM freshness WHERE source = 'focus'")
    through = {row["account"]: row["settled_through"] for row in rows}
    assert through[ACCOUNT] == through[LEFT["atlas-7b"]] == date(2025, 10, 28)


def test_a_closed_account_whose_bill_ends_before_it_has_stalled(closed: Marts) -> None:
    assert savings_settled(closed, "a day late") == date(2025, 9, 20)


def test_a_closed_account_ends_with_its_last_charge_of_any_kind(closed: Marts) -> None:
    """The tax of the 30th is the last that the bill has; its last usage is of the 20th."""
    assert savings_settled(closed, "with its tax") == date(2025, 10, 28)
    assert savings_settled(closed, "after its tax") == date(2025, 9, 20)


REMEDY = (
    ": deliver its export again or, if its bill has ended, set closed = 2025-09-20 in [[accounts]]"
)


def test_usage_after_it_contradicts_closed_which_then_closes_nothing(closed: Marts) -> None:
    assert savings_settled(closed, "too early") == date(2025, 9, 20)
    payer = LEFT["too early"]
    assert (
        "; settled through 2025-09-20 only: nothing newer was delivered for billing account "
        f"{payer} (closed = 2025-09-19 is ignored: its bill has usage until 2025-09-20){REMEDY}"
    ) in closed.standing("too early")["reason"]
    rows = closed.rows("SELECT billing_account, contradicted FROM settled_accounts")
    said = {row["billing_account"]: row["contradicted"] for row in rows}
    assert said == dict.fromkeys([ACCOUNT, *LEFT.values()]) | {payer: date(2025, 9, 19)}


@pytest.mark.parametrize("workload", ["a day late", "open"])
def test_a_stalled_bill_is_said_with_its_remedy(closed: Marts, workload: str) -> None:
    payer = LEFT[workload]
    said = f"2025-09-20 only: nothing newer was delivered for billing account {payer}{REMEDY}"
    assert said in closed.standing(workload)["reason"]


def ending(world: World) -> None:
    """Four days before the last settled one, and three; a sample the day before it."""
    for name, day in (("a", 25), ("b", 26), ("c", 20)):
        tags = {"workload": "ending", "run": name}
        world.hours(f"2025-10-{day}T00:00:00", 1, TRN1, 16, tags)
    world.sample("2025-10-20T00:00:00", "c", 0, workload="ending")
    world.sample("2025-10-27T00:00:00", "c", 1, workload="ending")


def test_a_run_has_ended_after_settle_days_without_a_charge_or_a_sample(marts: Marts) -> None:
    found = ended(marts, "ending")
    assert found["a"] is not None
    assert found["a"].date() == date(2025, 10, 25)
    assert (found["b"], found["c"]) == (None, None)


def resumed(world: World) -> None:
    for name, day in (("a", "01"), ("b", "27")):
        tags = {"workload": "resumed", "run": name}
        world.hours(f"2025-10-{day}T00:00:00", 1, TRN1, 16, tags)
        parent = "a" if name == "b" else None
        at = f"2025-10-{day}T01:00:00"
        world.sample(at, name, 1, workload="resumed", resumed_from=parent)


def test_a_resumed_run_keeps_its_lineage_alive(marts: Marts) -> None:
    assert ended(marts, "resumed") == {"a": None, "b": None}


def outlived(world: World) -> None:
    """METHOD §8 A, whose volumes and last run's snapshots go on."""
    migrated(world, "outlived")
    tags = {"workload": "outlived"}
    world.charge("2025-09-29T00:00:00", 1, tags=tags, x_UsageType="EBS:VolumeUsage.gp3")
    snapshots = {"tags": tags | {"run": "t3"}, "x_UsageType": "EBS:SnapshotUsage"}
    world.charge("2025-10-27T00:00:00", "0.01", **snapshots)


def test_storage_that_outlives_a_run_does_not_keep_it_alive(marts: Marts) -> None:
    assert ended(marts, "outlived")["t3"] == datetime(2025, 9, 16, 12, 15)  # noqa: DTZ001 - UTC by contract
    row = marts.row("SELECT cost FROM runs WHERE workload = 'outlived' AND run = 't3'")
    assert row["cost"] > 580


def corrected(world: World) -> None:
    """METHOD §8 A and, after its end, refunds by the dollar or with an hour, on a settled day or
    not; a dollar more; traffic.
    """
    migrated(world, "corrected")
    back = {"ChargeClass": "Correction", "ResourceId": "i-1"}
    t3, g2 = ({"workload": "corrected", "run": run} for run in ("t3", "g2"))
    world.charge("2025-10-28T00:00:00", -1, tags=t3, x_UsageType=f"BoxUsage:{TRN1}", **back)
    world.charge("2025-10-27T00:00:00", -2, tags=t3, x_UsageType="NatGateway-Bytes", **back)
    world.charge("2025-10-26T00:00:00", 1, tags=t3, x_UsageType=f"BoxUsage:{TRN1}", **back)
    world.charge("2025-10-26T00:00:00", "0.01", tags=t3, x_UsageType="DataTransfer-Out-Bytes")
    world.hours("2025-10-20T00:00:00", -1, P4D, 25, g2, **back)
    world.hours("2025-10-30T00:00:00", -1, P4D, 25, g2, **back)


def test_what_is_billed_after_a_run_has_ended_keeps_it_not_alive(marts: Marts) -> None:
    assert ended(marts, "corrected") == ended(marts)
    assert None not in ended(marts).values()
    row = marts.row("SELECT cost FROM runs WHERE workload = 'corrected' AND run = 't3'")
    assert row == {"cost": Decimal("578.01")}


def whole(world: World) -> None:
    """METHOD §8 A and two runs more, of the last week that is settled and of the next."""
    migrated(world, "whole")
    for run, day in (("t4", "20"), ("t5", "27")):
        world.run(run, TRN1, f"2025-10-{day}T00:00:00", 3, 16, 1, workload="whole")


def test_cost_per_epoch_says_which_weeks_and_months_are_whole(marts: Marts) -> None:
    rows = marts.rows(
        "SELECT period, period_start, settled FROM cost_per_epoch "
        "WHERE hardware = 'trainium' AND workload = 'whole' ORDER BY ALL"
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


def invoiced(world: World) -> None:
    payer = {"BillingAccountId": "invoiced", "SubAccountId": "invoiced"}
    world.charge("2025-09-02T00:00:00", 1, InvoiceId="inv-1", **payer)
    world.charge("2025-09-03T00:00:00", 2, InvoiceId="inv-1", **payer)
    world.charge("2025-10-02T00:00:00", 4, InvoiceId="inv-2", **payer)
    world.charge("2025-10-03T00:00:00", 8, **payer)
    world.charge("2025-09-04T00:00:00", 16, ChargeCategory="Tax", **payer)
    world.charge("2025-08-04T00:00:00", 32, ChargeCategory="Tax", InvoiceId="inv-0", **payer)


def test_a_month_is_final_once_every_usage_line_is_invoiced(marts: Marts) -> None:
    query = "SELECT final FROM spend_daily WHERE account = 'invoiced' ORDER BY billed_cost"
    finals = [row["final"] for row in marts.rows(query)]
    assert finals == [True, True, False, False, True, False]
