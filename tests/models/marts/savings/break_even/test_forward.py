"""METHOD §6, Forward: one pace for months and runs, and what is left when training ends."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from models.contract.errors import ConfigError
from models.marts.savings.break_even import forward
from models.marts.savings.break_even.end_of_training import months_to_end, value_to_end
from models.marts.savings.break_even.engineer_days_to_spare import headroom_days
from tests.conftest import migrated
from tests.support.marts.hand_written_tables import rows, table
from tests.support.marts.savings_cases import entry
from tests.support.some_marts import copied, some_marts
from tests.support.world import Marts, World

D = Decimal
MONEY = "decimal(38, 9)"
STANDING = {
    "cumulative_net_saving": MONEY, "cumulative_investment": MONEY, "cumulative_net": MONEY,
    "recent_net_saving": MONEY, "recent_runs": "int64", "forward_per_month": MONEY,
    "day_rate": MONEY, "cutoff": "date", "ends": "date", "cutover": "date",
    "first_invested": "date",
}  # fmt: skip


def test_eighteen_months_to_the_end_of_training_leave_a_loss() -> None:
    """METHOD §8 T: −10,000 + 416.666667 × 18."""
    given = table(
        {"cumulative_net": MONEY, "forward_per_month": MONEY, "months": MONEY},
        {"cumulative_net": D(-10_000), "forward_per_month": D("416.666667"), "months": D(18)},
        {"cumulative_net": D(-10_000), "forward_per_month": None, "months": D(18)},
        {"cumulative_net": D(-10_000), "forward_per_month": D(1), "months": None},
    )
    made = given.mutate(left=value_to_end(given, given.months))
    assert rows(made, "left") == [(D("-2499.999994"),), (None,), (None,)]


@pytest.mark.parametrize(
    ("days", "months"),
    [(0, "0"), (-30, "0"), (365, "12"), (547, "17.983561644"), (None, None)],
)
def test_the_months_to_the_end_are_days_of_a_year(days: int | None, months: str | None) -> None:
    last = date(2025, 12, 31)
    ends = None if days is None else last + timedelta(days=days)
    given = table(STANDING, {"cutoff": last, "ends": ends})
    due = None if months is None else D(months)
    assert rows(given.mutate(left=months_to_end(given)), "left") == [(due,)]


@pytest.mark.parametrize(
    ("net", "rate", "days"),
    [
        ("6999.99", 1000, 6),
        ("7000", 1000, 7),
        ("0", 1000, 0),
        ("-0.01", 1000, None),
        ("5", None, None),
    ],
)
def test_headroom_is_whole_days_of_the_newest_rate(
    net: str, rate: int | None, days: int | None
) -> None:
    given = table(STANDING, {"cumulative_net": D(net), "day_rate": rate and D(rate)})
    assert rows(given.mutate(left=headroom_days(given)), "left") == [(days,)]


@pytest.mark.parametrize("spent", [D("0.01"), D(13_175), D("99999.99")])
@pytest.mark.parametrize("pace", [D("0.07"), D("87.50"), D(4000)])
def test_months_times_the_pace_and_runs_times_a_runs_saving_are_what_remains(
    spent: Decimal, pace: Decimal
) -> None:
    monthly = round(12 * pace * 52 / 144, 9)
    given = table(
        STANDING,
        {"cumulative_net_saving": D(0), "cumulative_investment": spent,
         "recent_net_saving": 12 * pace, "recent_runs": 12, "forward_per_month": monthly},
    )  # fmt: skip
    owed = forward.remaining(given)
    made = given.mutate(
        months=forward.payback_months(given, owed), runs=forward.runs_to_break_even(given, owed)
    )
    ((months, runs),) = rows(made, "months", "runs")
    assert float(monthly) * months == pytest.approx(float(spent))
    assert (runs - 1) * pace < spent <= runs * pace


WORKLOADS = ("until", "ends", "rated", "funded", "before")


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    """METHOD §8 A five times, settled through 28 October: $1,138.125 saved in September."""
    world = World(tmp_path_factory.mktemp("forward"))
    for workload in WORKLOADS:
        migrated(world, workload)
    box = {"workload": "before"}
    world.hours("2025-08-20T00:00:00", 10, "trn1.32xlarge", 16, box)
    world.hours("2025-08-21T00:00:00", 10, "p4d.24xlarge", 25, box)
    again = {"workload": "before", "run": "g3", "purpose": "baseline"}
    world.hours("2025-09-20T00:00:00", 4, "p4d.24xlarge", 25, again)
    monthly = {"kind": "upkeep", "amount_per_month": D(31), "date": date(2025, 10, 1)}
    days = {"kind": "engineering", "days": 1, "day_rate": D(100)}
    newest = days | {"date": date(2025, 8, 20)}
    spent: list[dict[str, Any]] = [
        entry(workload="until", **monthly, until=date(2025, 10, 10)),
        entry(workload="ends", **monthly),
        entry(workload="rated", **days),
        entry(workload="rated", **newest | {"day_rate": D(20), "days": 0}),
        entry(workload="rated", **newest | {"day_rate": D(50)}),
        entry(workload="funded", amount=1000),
        entry(workload="funded", kind="funding", amount=-900),
        entry(workload=None, **days | {"day_rate": D(10), "days": 0}),
    ]
    settings = world.pulled(
        investments=spent,
        workloads=[{"name": "ends", "ends": "2025-10-20"}],
        tags={"extra": ["purpose", "recipe", "team"]},
    )
    return some_marts(settings, "break_even", "investments", "savings_daily")


@pytest.mark.parametrize(("workload", "days"), [("until", 10), ("ends", 20)])
def test_an_upkeep_lasts_to_its_own_end_else_to_that_of_training(
    marts: Marts, workload: str, days: int
) -> None:
    sql = "SELECT sum(upkeep) AS paid, count(*) AS days, max(date) AS last FROM savings_daily "
    row = marts.row(sql + "WHERE upkeep > 0 AND workload = ?", workload)
    assert row == {"paid": days, "days": days, "last": date(2025, 10, days)}
    assert marts.standing(workload)["cumulative_net_saving"] == D("1138.125") - days


def test_what_a_day_of_engineers_costs_is_the_newest_rate_of_the_workload(marts: Marts) -> None:
    """$988.125 ahead at $50 a day; $1,038.125 at the portfolio's $10."""
    assert marts.standing("rated")["headroom_days"] == 19
    assert marts.standing("funded")["headroom_days"] == 103


def test_funding_is_deducted_from_what_the_move_cost(marts: Marts) -> None:
    standing = marts.standing("funded")
    assert (standing["status"], standing["cumulative_investment"]) == ("broke_even", 100)
    assert standing["cumulative_net"] == D("1038.125")


def test_trainium_before_the_cutover_and_a_later_gpu_baseline_are_part_of_the_move(
    marts: Marts,
) -> None:
    """The GPU box before it is not, and GPU runs for a baseline before it are not."""
    sql = "SELECT kind, amount FROM investments WHERE workload = 'before' ORDER BY kind"
    found = [tuple(row.values()) for row in marts.rows(sql)]
    assert found == [("baseline", 100), ("overhead_before_cutover", 160)]


def test_an_end_before_the_first_run_is_refused_in_one_line(marts: Marts, tmp_path: Path) -> None:
    ends = [{"name": "rated", "ends": "2025-05-01"}, {"name": "funded", "ends": "2025-05-02"}]
    with pytest.raises(ConfigError) as caught:
        some_marts(copied(marts, tmp_path, workloads=ends), "break_even")
    assert not list(tmp_path.rglob("snapshots/*.duckdb"))
    assert str(caught.value) == (
        "workloads: rated ends before its first run: ends = 2025-05-01 "
        "(it trained on 2025-05-02: write the last day on which it will be trained)"
    )
