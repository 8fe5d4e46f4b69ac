"""METHOD §6: status, break-even date, and what is left to go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest

from tests.conftest import migrated
from tests.support.world import Marts, World

P4D, TRN1 = "p4d.24xlarge", "trn1.32xlarge"
GROSS = Decimal("1138.125")
AT_LIST = Decimal("1442.703615")
WORDS = {
    "broke_even": "cumulative net saving has passed the investment",
    "recovering": "cumulative net saving has not yet passed the investment; "
    "forecast: not enough data yet (2 of 5 GPU runs)",
    "not_started": "no production Trainium run has settled yet",
    "investing": "money was spent, no production Trainium run has settled yet",
    "no_investment": "no investment is configured, so no break-even is claimed",
    "losing": "Trainium cost more than the GPU counterfactual since the twelfth-last working week; "
    "forecast: not enough data yet (2 of 5 GPU runs)",
    "insufficient_baseline": "insufficient baseline: fewer than 2 qualifying GPU runs have ended",
}


def entries(spent: Mapping[str, Sequence[tuple[object, str]]]) -> list[dict[str, Any]]:
    """What each workload invested, and on which days."""
    return [
        {
            "workload": workload,
            "date": date.fromisoformat(f"2025-{day}"),
            "kind": "tooling",
            "amount": Decimal(str(amount)),
        }
        for workload, paid in spent.items()
        for amount, day in paid
    ]


AMOUNTS = ("1138.125", "1138.126", "303.50", "3414.375")
INVESTED = {amount: [(amount, "08-15")] for amount in AMOUNTS} | {
    "sooner": [(1, "09-10")],
    "twice": [(300, "08-15"), (500, "09-10")],
    "lost again": [(300, "08-15"), (1000, "10-20")],
    "none": [],
    "to come": [(10_000, "12-01")],
    "kept up": [(10_000, "08-15")],
}


def kept(world: World, workload: str, run: str, first: str, days: int, dollars: int = 1) -> None:
    """A volume under the run's tag, by the day."""
    for place in range(days):
        day = date.fromordinal(date.fromisoformat(first).toordinal() + place)
        tags = {"workload": workload, "run": run}
        world.charge(f"{day}T00:00:00", dollars, x_UsageType="EBS:VolumeUsage.gp3", tags=tags)


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    """What each invested is earned by $1,138.125 in September, $303.50 of it by its third."""
    world = World(tmp_path_factory.mktemp("invested"))
    for workload in INVESTED:
        migrated(world, workload)
    kept(world, "unsettled", "t1", "2025-10-20", 5)
    world.run("t1", TRN1, "2025-10-30T00:00:00", 5, 16, 1, workload="unsettled")
    upkeep = {"workload": "kept up", "kind": "upkeep", "amount_per_month": 30}
    return world.build(investments=[*entries(INVESTED), upkeep | {"date": date(2025, 10, 1)}])


@pytest.mark.parametrize(
    ("amount", "status", "progress", "even", "runs"),
    [
        ("1138.125", "broke_even", "1", date(2025, 9, 16), 0),
        ("1138.126", "recovering", "0.999999121", None, 1),
        ("303.50", "broke_even", "1", date(2025, 9, 3), 0),
        ("3414.375", "recovering", "0.333333333", None, 6),
    ],
)
def test_break_even_is_when_the_investment_is_earned(
    marts: Marts, amount: str, status: str, progress: str, even: date | None, runs: int
) -> None:
    standing = marts.standing(amount)
    assert (standing["status"], standing["break_even_date"]) == (status, even)
    assert standing["reason"] == WORDS[status]
    assert standing["progress"] == Decimal(progress)
    assert standing["runs_to_break_even"] == runs
    roi = (GROSS - Decimal(amount)) / Decimal(amount)
    assert standing["roi"] == roi.quantize(Decimal("1e-9"))


def test_nothing_is_paid_back_before_it_was_paid(marts: Marts) -> None:
    standing = marts.standing("sooner")
    assert standing["break_even_date"] == date(2025, 9, 10)
    assert (standing["progress"], standing["roi"]) == (1, GROSS - 1)


def by_month(marts: Marts, workload: str) -> dict[str, str]:
    rows = marts.rows("SELECT month, status FROM monthly_summary WHERE workload = ?", workload)
    return {row["month"]: row["status"] for row in rows if row["month"] >= "2025-08"}


def test_it_has_to_stay_paid_back(marts: Marts) -> None:
    assert marts.standing("twice")["break_even_date"] == date(2025, 9, 15)
    assert by_month(marts, "twice")["2025-08"] == "investing"


def test_break_even_can_be_lost_again(marts: Marts) -> None:
    """$1,138.125 saved passed $300 in September; another $1,000 in October is not earned yet."""
    standing = marts.standing("lost again")
    assert (standing["status"], standing["break_even_date"]) == ("recovering", None)
    assert standing["cumulative_net"] == Decimal("-161.875")
    assert by_month(marts, "lost again") == {
        "2025-08": "investing",
        "2025-09": "broke_even",
        "2025-10": "recovering",
    }


def test_without_investment_savings_are_shown_and_nothing_is_claimed(marts: Marts) -> None:
    standing = marts.standing("none")
    assert standing["status"] == "no_investment"
    assert standing["reason"] == WORDS["no_investment"]
    assert standing["cumulative_net_saving"] == GROSS
    for name in ("progress", "roi", "runs_to_break_even", "payback_months", "break_even_date"):
        assert standing[name] is None


def test_saving_per_epoch_is_gross_saving_over_trainium_epochs(marts: Marts) -> None:
    assert marts.standing("none")["saving_per_epoch"] == GROSS / 15


def test_an_investment_yet_to_come_is_told_from_none(marts: Marts) -> None:
    standing = marts.standing("to come")
    assert standing["status"] == "no_investment"
    assert "dated after the last settled day" in standing["reason"]


def test_a_volume_made_before_the_first_settled_hour_starts_nothing(marts: Marts) -> None:
    standing = marts.standing("unsettled")
    assert (standing["status"], standing["reason"]) == ("not_started", WORDS["not_started"])


def test_payback_is_at_the_pace_of_twelve_weeks_less_upkeep(marts: Marts) -> None:
    standing = marts.standing("kept up")
    owed = Decimal(10_000) + Decimal(30) * 28 / 31 - GROSS
    pace = GROSS / 12 * 52 / 12 - 30
    assert standing["payback_months"] == pytest.approx(float(owed / pace))
    per_run = (GROSS - Decimal(30) * 28 / 31) / 3
    assert standing["runs_to_break_even"] == int(owed / per_run) + 1


def test_before_the_first_trainium_run_it_is_investing_or_not_started(world: World) -> None:
    world.run("g1", "p4d.24xlarge", "2025-05-02T00:00:00", 100, 25, 10)
    world.run("p1", TRN1, "2025-09-02T00:00:00", 5, 16, 1, workload="porting", purpose="port")
    idle = {"CommitmentDiscountId": "sp-1", "CommitmentDiscountStatus": "Unused"}
    world.charge("2025-10-01T00:00:00", 50, x_UsageType=f"BoxUsage:{TRN1}", **idle)
    world.charge("2025-10-30T00:00:00", 1)
    for day, kind, hours in (("01", TRN1, 1), ("02", TRN1, 2), ("30", TRN1, 8), ("01", P4D, 16)):
        world.hours(f"2025-10-{day}T00:00:00", hours, kind, "1.25", {})
    marts = world.build(workloads=[{"name": "planned"}])
    statuses = marts.rows("SELECT workload, status, reason FROM break_even ORDER BY 1")
    lost = "; but $3.75 (effective) of Trainium spend names no run or workload"
    assert [tuple(row.values()) for row in statuses] == [
        ("(portfolio)", "investing", WORDS["investing"] + lost),
        ("atlas-7b", "not_started", WORDS["not_started"] + lost),
        ("planned", "not_started", WORDS["not_started"] + lost),
        ("porting", "investing", WORDS["investing"] + lost),
    ]
    porting = marts.standing("porting")
    assert (porting["progress"], porting["roi"]) == (0, -1)  # $80 spent, nothing recovered
    whole = marts.row("SELECT sum(overhead) AS o, sum(net_saving) AS n FROM portfolio_daily")
    assert whole == {"o": 0, "n": 0}  # nothing has moved: idle hours are no overhead of it


@pytest.fixture(scope="module")
def december(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    """METHOD §8 A, and then twelve weekly runs at a loss, or a volume for thirteen weeks."""
    world = World(tmp_path_factory.mktemp("december"))
    for workload in ("weekly", "volume", "dear volume"):
        migrated(world, workload)
    for week in range(12):
        day = date(2025, 9, 29) + timedelta(weeks=week)
        world.hours(f"{day}", 10, TRN1, 18, {"workload": "weekly", "run": f"l{week}"})
        for hour, epoch in ((0, 0), (9, 1)):
            said = {"workload": "weekly", "loss": 1.5}
            world.sample(f"{day}T0{hour}:00:00", f"l{week}", epoch, **said)
    kept(world, "volume", "t3", "2025-09-17", 91)
    kept(world, "dear volume", "t3", "2025-09-17", 91, dollars=13)
    world.charge("2025-12-30T00:00:00", 1)
    amounts = {"weekly": 1, "volume": 10_000, "dear volume": 10_000}
    spent = entries({workload: [(amount, "08-15")] for workload, amount in amounts.items()})
    return world.build(as_of="2025-12-31", investments=spent)


def test_losing_looks_at_the_last_twelve_working_weeks(december: Marts) -> None:
    """Twelve weekly runs at a loss after three that saved more: losing, though still ahead."""
    standing = december.standing("weekly")
    assert standing["cumulative_net_saving"] == GROSS + 12 * (Decimal("175.875") - 180)
    assert (standing["status"], standing["reason"]) == ("losing", WORDS["losing"])
    assert standing["break_even_date"] == date(2025, 9, 2)
    assert standing["payback_months"] is None or standing["payback_months"] == 0


def test_a_volume_kept_after_the_work_is_no_losing_week(december: Marts) -> None:
    """$1 a day from 16 September to 16 December: thirteen weeks in which nothing trained.

    The twelfth-last week that trained began before the first run, so all $1,138.125 count.
    """
    standing = december.standing("volume")
    assert standing["cumulative_net_saving"] == GROSS - 91
    assert standing["status"] == "recovering"


def test_what_a_volume_costs_since_the_twelfth_last_week_is_lost(december: Marts) -> None:
    standing = december.standing("dear volume")
    assert standing["cumulative_net_saving"] == GROSS - 91 * 13  # $44.875 lost
    assert standing["status"] == "losing"


def test_the_portfolio_adds_up_what_is_known(atlas: World) -> None:
    atlas.run("h1", TRN1, "2025-09-02T00:00:00", 25, 16, 4, workload="harbor")
    marts = atlas.build()
    harbor, whole = marts.standing("harbor"), marts.standing("(portfolio)")
    assert harbor["status"] == "insufficient_baseline"
    assert harbor["reason"] == WORDS["insufficient_baseline"]
    assert harbor["cumulative_net_saving"] is None
    assert whole["cumulative_net_saving"] == GROSS
    assert whole["status"] == "recovering"
    assert whole["cumulative_saving_at_list"] == AT_LIST


def test_the_saving_at_list_is_unknown_where_one_that_counts_has_no_list_price(
    atlas: World,
) -> None:
    """Harbor's $20 an epoch are counted; what it saved at list prices nobody knows."""
    for place, kind in enumerate((P4D, P4D, TRN1)):
        name, start = f"h{place}", f"2025-09-0{place + 1}T00:00:00"
        tags = {"workload": "harbor", "run": name}
        atlas.hours(start, 10, kind, 14 if kind == P4D else 12, tags, ListCost="")
        for hour, epoch in ((0, 0), (9, 1)):
            at = f"2025-09-0{place + 1}T0{hour}:00:00"
            atlas.sample(at, name, epoch, workload="harbor", loss=1.5)
    marts = atlas.build(baseline={"method": "measured"})
    harbor, own, whole = (marts.standing(name) for name in ("harbor", "atlas-7b", "(portfolio)"))
    assert harbor["cumulative_gross_saving"] == 20
    assert harbor["cumulative_saving_at_list"] is None
    assert own["cumulative_saving_at_list"] is not None
    assert whole["cumulative_gross_saving"] == own["cumulative_gross_saving"] + 20
    assert whole["cumulative_saving_at_list"] is None


def ran(world: World, workload: str, run: str, day: str, cost: object, *, kind: str = TRN1) -> None:
    """Ten hours and one epoch on a day, or two on GPU at $100 each."""
    tags, epochs = {"workload": workload, "run": run}, 2 if kind == P4D else 1
    world.hours(f"2025-{day}T00:00:00", 10, kind, Decimal(str(cost)) / 10, tags)
    for hour, epoch in ((0, 0), (9, epochs)):
        world.sample(f"2025-{day}T0{hour}:00:00", run, epoch, workload=workload, loss=1.5)


MONDAYS = [f"{date(2025, 7, 28) + timedelta(weeks=week):%m-%d}" for week in range(13)]
SPENT = {
    "level": [(10, "06-01")],
    "penny": [("1.20", "06-01")],
    "short": [(10, "06-01")],
    "dozen": [(5000, "06-01")],
    "quarter": [(1000, "06-01")],
    "monday": [(10, "06-01")],
    "keep": [("2890.75", "06-01")],
    "free": [(0, "10-28")],
    "inch": [(10, "06-01")],
    "unsure": [(10, "05-20")],
    "early": [(50, "07-30")],
    "refunded": [(50, "07-30")],
}


@pytest.fixture(scope="module")
def edges(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    """Workloads that saved a little more or less than what decides, of $100 an epoch on GPU."""
    world = World(tmp_path_factory.mktemp("edges"))
    for workload in SPENT:
        ran(world, workload, "g", "05-02", 200, kind=P4D)
    for workload, day, cost in (
        ("level", "08-20", 100), ("penny", "08-20", "99.90"), ("short", "08-20", "100.50"),
        ("quarter", "08-05", 0.25), ("quarter", "08-06", 50), ("monday", "06-30", 110),
        ("free", "08-20", 90), ("inch", "08-20", "90.50"), ("inch", "08-21", 95),
        ("early", "08-06", 40),
    ):  # fmt: skip
        ran(world, workload, f"t-{day}", day, cost)
    for place, day in enumerate(MONDAYS):
        ran(world, "dozen", f"t{place}", day, {0: 1100, 1: 50}.get(place, 104))
    ran(world, "dozen", "t-late", "10-29", 104)  # its week has no settled work
    for place in range(9):
        ran(world, "keep", f"t{place}", "09-01", 0.25)
    for place, day in enumerate(("06-02", *MONDAYS[1:])):
        ran(world, "unsure", f"t{place}", day, 104 if place else 20)
    ported = {"workload": "unsure", "run": "port"}
    world.hours("2025-10-15T00:00:00", 1, TRN1, 0, ported, ListCost=0)
    kept = {"workload": "early", "run": "t-08-06"}
    world.charge("2025-08-01T00:00:00", -60, x_UsageType="EBS:VolumeUsage.gp3", tags=kept)
    own = {"workload": "refunded"}
    world.hours("2025-08-10T00:00:00", 1, TRN1, 10, own)
    world.sample("2025-08-10T00:00:00", "lost", 1, workload="refunded")
    world.charge("2025-08-11T00:00:00", -100, x_UsageType=f"BoxUsage:{TRN1}", tags=own)
    world.charge("2025-10-30T00:00:00", 1)
    upkeep = {"workload": "keep", "kind": "upkeep", "amount_per_month": 31}
    spent = [*entries(SPENT), upkeep | {"date": date(2025, 10, 28)}]
    return world.build(
        baseline={"method": "measured", "min_runs": 1},
        investments=spent,
        runs=[{"run": "port", "workload": "unsure", "purpose": "port"}],
    )


NAMES = ("status", "break_even_date", "runs_to_break_even")


@pytest.mark.parametrize(
    ("workload", "status", "even", "runs"),
    [
        ("level", "recovering", None, None),
        ("penny", "recovering", None, 11),  # $1.10 at $0.10
        ("short", "losing", None, None),
        ("dozen", "recovering", None, None),  # $50 less 11 times $4 since the twelfth-last Monday
        ("keep", "recovering", None, 21),  # $1,994 at $896.75 ÷ 9: the day's upkeep is paid
        ("inch", "broke_even", date(2025, 8, 21), 0),  # $0.50 short on the first day
        ("unsure", "losing", None, None),
        ("early", "broke_even", date(2025, 8, 6), 0),  # not with what came back before it moved
        ("refunded", "investing", None, None),
    ],
)
def test_what_decides_is_where_it_stands_to_the_cent_and_to_the_day(
    edges: Marts, workload: str, status: str, even: date | None, runs: int | None
) -> None:
    standing = edges.standing(workload)
    assert tuple(standing[name] for name in NAMES) == (status, even, runs)


def test_the_pace_is_that_of_84_days_less_the_upkeep_that_runs(edges: Marts) -> None:
    months = {
        workload: edges.standing(workload)["payback_months"]
        for workload in ("level", "penny", "short", "dozen", "quarter", "keep")
    }
    assert months == {
        "level": None,
        "penny": pytest.approx(1.1 / (0.1 * 52 / 144)),
        "short": None,
        "dozen": None,
        "quarter": pytest.approx(850.25 / (50 * 52 / 144)),
        "keep": pytest.approx(1994 / (897.75 * 52 / 144 - 31)),
    }


def test_a_months_status_looks_at_the_weeks_until_its_last_day(edges: Marts) -> None:
    """The only run of "monday" is on the 30th of June, the first of its week."""
    rows = edges.rows(
        "SELECT month, workload, status FROM monthly_summary "
        "WHERE workload IN ('dozen', 'monday') AND month IN ('2025-06', '2025-07') ORDER BY ALL"
    )
    assert [tuple(row.values()) for row in rows] == [
        ("2025-06", "dozen", "investing"),
        ("2025-06", "monday", "losing"),
        ("2025-07", "dozen", "losing"),
        ("2025-07", "monday", "losing"),
    ]


def test_nothing_spent_on_the_last_settled_day_is_no_investment(edges: Marts) -> None:
    assert edges.standing("free")["reason"] == WORDS["no_investment"]
