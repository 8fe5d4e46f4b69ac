"""METHOD §6, last line: GPU overhead that ended with the move is shown, and in no saving."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.support.marts.savings_cases import P4D, TRN1
from tests.support.some_marts import some_marts
from tests.support.world import Marts, World

D = Decimal


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    """Moved on 1 July after 84 days on GPU, or on 1 October; machines under the workload's tag."""
    world = World(tmp_path_factory.mktemp("overhead"))
    for workload, moved in (("less", "07-01"), ("more", "07-01"), ("young", "10-01")):
        for run, start in (("g1", "2025-04-08"), ("g2", "2025-05-10")):
            world.run(run, P4D, f"{start}T00:00:00", 10, 10, 1, workload=workload)
        world.run("t1", TRN1, f"2025-{moved}T00:00:00", 10, 4, 1, workload=workload)
    spent = (
        ("less", "06-15", P4D, 8400), ("less", "10-01", P4D, 2100), ("less", "10-02", TRN1, 70),
        ("more", "06-15", P4D, 100), ("more", "10-01", P4D, 200), ("young", "06-15", P4D, 100),
    )  # fmt: skip
    for workload, day, kind, cost in spent:
        tags = {"workload": workload}
        world.hours(f"2025-{day}T00:00:00", 10, kind, D(cost) / 10, tags)
    world.charge("2025-10-30T00:00:00", "1.00", x_UsageType="Requests-Tier1")
    settings = world.pulled(baseline={"method": "measured"})
    return some_marts(settings, "break_even", "gpu_overhead", "savings_daily", "spend_daily")


@pytest.mark.parametrize(
    ("workload", "ended"),
    [("less", 2275), ("more", 0), ("young", None), ("(portfolio)", 2275)],
)
def test_what_a_month_of_gpu_overhead_cost_more_before(
    marts: Marts, workload: str, ended: object
) -> None:
    """$8,400 in 84 days are $3,033.33 a month, $2,100 are $758.33; more than before is 0."""
    assert marts.standing(workload)["gpu_overhead_ended"] == ended


def test_it_is_in_no_saving(marts: Marts) -> None:
    rows = marts.rows("SELECT sum(overhead) AS o FROM savings_daily WHERE workload = 'less'")
    assert rows == [{"o": 70}]


def test_both_months_are_what_sql_makes_of_the_bill(marts: Marts) -> None:
    """The cutover is 1 July, the first GPU charge 84 days before it, the last settled day 27."""
    (row,) = marts.rows(
        """SELECT
            sum(effective_cost) FILTER (date < '2025-07-01') * 364 / (84 * 12) AS before,
            sum(effective_cost) FILTER (date > DATE '2025-10-28' - 84) * 364 / (84 * 12) AS recent
        FROM spend_daily
        WHERE workload = 'less' AND hardware = 'gpu' AND attribution = 'overhead'"""
    )
    shown = marts.row("SELECT * FROM gpu_overhead WHERE workload = 'less'")
    assert shown["days_before"] == 84
    assert abs(D(row["before"]) - shown["per_month_before"]) < D("1e-6")
    assert abs(D(row["recent"]) - shown["per_month_recent"]) < D("1e-6")
