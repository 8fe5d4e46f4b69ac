"""METHOD §6: status, break-even date, and what is left to go."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from tests.conftest import migrated
from tests.support.marts.savings_cases import (
    WORDS,
    entries,
    kept,
)
from tests.support.some_marts import some_marts
from tests.support.world import Marts, World

TRN1, P4D = "trn1.32xlarge", "p4d.24xlarge"
GROSS = Decimal("1138.125")


AT_LIST = Decimal("1442.703615")


AMOUNTS = ("1138.125", "1138.126", "303.50", "3414.375")


INVESTED = {amount: [(amount, "08-15")] for amount in AMOUNTS} | {
    "sooner": [(1, "09-10")],
    "twice": [(300, "08-15"), (500, "09-10")],
    "lost again": [(300, "08-15"), (1000, "10-20")],
    "none": [],
    "to come": [(10_000, "12-01")],
    "kept up": [(10_000, "08-15")],
}


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    """What each invested is earned by $1,138.125 in September, $303.50 of it by its third."""
    world = World(tmp_path_factory.mktemp("invested"))
    for workload in INVESTED:
        migrated(world, workload)
    kept(world, "unsettled", "t1", "2025-10-20", 5)
    world.run("t1", TRN1, "2025-10-30T00:00:00", 5, 16, 1, workload="unsettled")
    upkeep = {"workload": "kept up", "kind": "upkeep", "amount_per_month": 30}
    spent = [*entries(INVESTED), upkeep | {"date": date(2025, 10, 1)}]
    return some_marts(world.pulled(investments=spent), "break_even", "monthly_summary")


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
    assert standing["reason"].startswith(WORDS[status])
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


def test_upkeep_is_deducted_from_the_saving_and_repays_nothing(marts: Marts) -> None:
    standing = marts.standing("kept up")
    saved = GROSS - (Decimal(30) * 28 / 31).quantize(Decimal("1e-9"))
    assert standing["cumulative_net_saving"] == saved
    assert standing["cumulative_investment"] == 10_000
    each = saved / 3
    assert standing["runs_to_break_even"] == int((10_000 - saved) / each) + 1


def test_no_month_is_told_before_84_settled_days_have_passed_since_cutover(marts: Marts) -> None:
    """Cutover 2 September, settled through 28 October."""
    standing = marts.standing("3414.375")
    assert (standing["forward_per_month"], standing["payback_months"]) == (None, None)


def test_before_the_first_trainium_run_it_is_investing_or_not_started(world: World) -> None:
    world.run("g1", "p4d.24xlarge", "2025-05-02T00:00:00", 100, 25, 10)
    world.run("p1", TRN1, "2025-09-02T00:00:00", 5, 16, 1, workload="porting", purpose="port")
    idle = {"CommitmentDiscountId": "sp-1", "CommitmentDiscountStatus": "Unused"}
    world.charge("2025-10-01T00:00:00", 50, x_UsageType=f"BoxUsage:{TRN1}", **idle)
    world.charge("2025-10-30T00:00:00", 1)
    for day, kind, hours in (("01", TRN1, 1), ("02", TRN1, 2), ("30", TRN1, 8), ("01", P4D, 16)):
        world.hours(f"2025-10-{day}T00:00:00", hours, kind, "1.25", {})
    settings = world.pulled(workloads=[{"name": "planned"}])
    marts = some_marts(settings, "break_even", "portfolio_daily")
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
def beside(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    """METHOD §8 A beside a workload that no GPU run is known of."""
    world = migrated(World(tmp_path_factory.mktemp("beside")))
    world.run("h1", TRN1, "2025-09-02T00:00:00", 25, 16, 4, workload="harbor")
    silent = {"workload": "harbor", "run": "h2"}
    world.hours("2025-09-05T00:00:00", 5, TRN1, 16, silent)
    return some_marts(world.pulled(), "break_even", "forecast_paths", "runs")


def test_the_portfolio_adds_up_what_is_known(beside: Marts) -> None:
    harbor, whole = beside.standing("harbor"), beside.standing("(portfolio)")
    assert harbor["status"] == "not_comparable"
    assert harbor["reason"] == "no GPU run is known to compare with"
    assert harbor["cumulative_net_saving"] is None
    assert harbor["left_out"] == whole["left_out"] == {"not_comparable": 400 + 80}
    runs = "SELECT DISTINCT comparability AS said FROM runs WHERE workload = 'harbor'"
    assert beside.rows(runs) == [{"said": "no GPU run to compare with"}]
    assert whole["cumulative_net_saving"] == GROSS
    assert whole["status"] == "recovering"
    assert whole["cumulative_saving_at_list"] == AT_LIST


def test_too_little_data_gives_no_dates_and_says_what_is_missing(beside: Marts) -> None:
    standing, portfolio = beside.standing(), beside.standing("(portfolio)")
    names = ("forecast_low", "forecast_median", "forecast_high", "never_share", "saving_low")
    assert {standing[name] for name in names} == {None}
    assert standing["forecast_reason"] == "not enough data yet (2 of 5 GPU runs)"
    assert portfolio["forecast_reason"] == "not enough data yet (of atlas-7b)"
    assert beside.rows("SELECT * FROM forecast_paths") == []


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
    marts = some_marts(atlas.pulled(baseline={"method": "measured"}), "break_even")
    harbor, own, whole = (marts.standing(name) for name in ("harbor", "atlas-7b", "(portfolio)"))
    assert harbor["cumulative_gross_saving"] == 20
    assert harbor["cumulative_saving_at_list"] is None
    assert own["cumulative_saving_at_list"] is not None
    assert whole["cumulative_gross_saving"] == own["cumulative_gross_saving"] + 20
    assert whole["cumulative_saving_at_list"] is None
