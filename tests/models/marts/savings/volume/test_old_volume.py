"""METHOD §6, At the old volume: what is trained only because it is cheaper is no saving."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from tests.support.marts.savings_cases import entry
from tests.support.some_marts import some_marts
from tests.support.world import Marts, World

D = Decimal
TRN1, P4D = "trn1.32xlarge", "p4d.24xlarge"
PAID = ("grown", "same", "young")


def moved(world: World, workload: str, trn: list[tuple[str, int, int]], **gpu: object) -> None:
    """Two GPU runs of 30 epochs at $100 in the 60 days before September, and runs on Trainium.

    A Trainium run is its first day, its epochs and its dollars an epoch.
    """
    for run, start in (("g1", gpu.get("start", "2025-07-03")), ("g2", "2025-08-10")):
        world.run(run, P4D, f"{start}T00:00:00", 100, 30, 30, workload=workload)
    for place, (start, epochs, dollars) in enumerate(trn):
        rate = D(epochs) * dollars / 10
        world.run(f"t{place}", TRN1, f"{start}T00:00:00", 10, rate, epochs, workload=workload)


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    """The pace before the move is one epoch a day; all moved on 1 September."""
    world = World(tmp_path_factory.mktemp("volume"))
    moved(world, "grown", [("2025-09-01", 60, 66), ("2025-09-20", 60, 66)])
    moved(world, "lost", [("2025-09-01", 120, 134)])
    moved(world, "same", [("2025-09-01", 20, 66), ("2025-10-10", 10, 66)])
    moved(world, "stayed", [("2025-09-01", 10, 66), ("2025-10-05", 90, 66)])
    world.run("g3", P4D, "2025-10-01T00:00:00", 100, 30, 30, workload="stayed")
    moved(world, "carried", [("2025-09-01", 10, 66), ("2025-10-05", 90, 66)])
    moved(world, "young", [("2025-09-01", 120, 66)], start="2025-07-08")
    moved(world, "single", [("2025-09-01", 120, 66)])
    world.run("g0", P4D, "2024-07-03T00:00:00", 100, 30, 30, workload="single")
    for sample in world.samples:
        if sample["workload"] == "single" and sample["run"] == "g1":
            sample["purpose"] = "validation"
    moved(world, "two recipes", [("2025-09-01", 120, 66)])
    world.run("l1", TRN1, "2025-09-02T00:00:00", 10, 7, 5, workload="two recipes", recipe="lora")
    world.charge("2025-10-30T00:00:00", "1.00", x_UsageType="Requests-Tier1")
    spent = [entry(workload=workload, amount=1500) for workload in PAID]
    settings = world.pulled(investments=spent, baseline={"method": "measured"})
    return some_marts(
        settings, "savings_daily", "savings_by_kind", "portfolio_daily", "break_even",
        "monthly_summary", "old_volume", "cutovers",
    )  # fmt: skip


def of_months(marts: Marts, workload: str) -> list[tuple[Decimal, Decimal | None]]:
    rows = marts.rows(
        "SELECT gross_saving, saving_at_old_volume FROM monthly_summary "
        "WHERE workload = ? AND month >= '2025-09' ORDER BY month",
        workload,
    )
    return [tuple(row.values()) for row in rows]


def test_a_saving_counts_by_the_share_of_the_old_volume(marts: Marts) -> None:
    """METHOD §8 K: $4,080 on 120 epochs, of which 30 would have been trained anyway."""
    assert of_months(marts, "grown")[0] == (4080, 1020)


def test_a_loss_counts_whole(marts: Marts) -> None:
    assert of_months(marts, "lost")[0] == (-4080, -4080)


def test_where_volume_never_grew_nothing_is_taken_off(marts: Marts) -> None:
    assert of_months(marts, "same") == [(680, 680), (340, 340)]


@pytest.mark.parametrize(("workload", "october"), [("carried", 48), ("stayed", 18)])
def test_what_one_month_left_the_next_may_use_less_what_stayed_on_gpu(
    marts: Marts, workload: str, october: int
) -> None:
    """58 settled days since the move allow 58 epochs: 10 in September, 30 on GPU again."""
    share = round(D(3060) * october / 90, 9)
    assert of_months(marts, workload) == [(340, 340), (3060, share)]


@pytest.mark.parametrize("workload", ["young", "single", "two recipes"])
def test_without_a_pace_before_the_move_it_is_unknown(marts: Marts, workload: str) -> None:
    """55 days of GPU; one GPU run within a year; a recipe that never ran on GPU is left out."""
    known = workload == "two recipes"
    (gross, at_old_volume), *_ = of_months(marts, workload)
    assert (gross, at_old_volume) == (4080, 1020 if known else None)
    standing = marts.standing(workload)
    assert (standing["saving_at_old_volume"] is None) is not known


def test_the_days_of_a_month_add_up_to_it_and_the_months_to_where_it_stands(marts: Marts) -> None:
    rows = marts.rows(
        """WITH days AS (SELECT workload, sum(saving_at_old_volume) AS total FROM savings_daily
            WHERE settled GROUP BY ALL)
        SELECT workload, total, saving_at_old_volume AS standing FROM days
        JOIN break_even USING (workload) WHERE saving_at_old_volume IS NOT NULL"""
    )
    assert len(rows) == 6
    assert all(row["total"] == row["standing"] for row in rows)


@pytest.mark.parametrize(
    ("workload", "net", "words"),
    [
        (
            "grown",
            -480,
            "at today's volume; at the volume trained before the move $480.00 would be missing",
        ),
        ("young", None, "at today's volume; how much was trained before the move is not known"),
    ],
)
def test_broke_even_says_whether_it_holds_at_the_old_volume(
    marts: Marts, workload: str, net: int | None, words: str
) -> None:
    standing = marts.standing(workload)
    assert (standing["status"], standing["net_at_old_volume"]) == ("broke_even", net)
    assert standing["reason"] == f"cumulative net saving has passed the investment {words}"


def test_the_portfolio_is_unknown_where_one_of_its_workloads_is(marts: Marts) -> None:
    sql = "SELECT saving_at_old_volume AS saved FROM portfolio_daily WHERE date BETWEEN ? AND ?"
    days = marts.rows(sql, date(2025, 9, 20), date(2025, 9, 22))
    assert [row["saved"] for row in days] == [510, 0, 0]
    assert marts.standing("(portfolio)")["saving_at_old_volume"] is None


def test_every_month_is_what_a_recursion_in_sql_makes_of_the_days(marts: Marts) -> None:
    """METHOD's formula once more, from published days: `old` of a month needs that before it."""
    rows = marts.rows(
        """WITH RECURSIVE months AS (
            SELECT workload, recipe, month, gpu_work / gpu_days AS pace, credited_epochs AS made,
                sum(settled_days) OVER so_far AS days, sum(gpu_epochs) OVER so_far AS on_gpu,
                old_epochs, row_number() OVER so_far AS place
            FROM old_volume WHERE per_day IS NOT NULL
            WINDOW so_far AS (PARTITION BY workload, recipe ORDER BY month)),
        walk AS (
            SELECT workload, recipe, month, 0::BIGINT AS place, 0.0::DOUBLE AS old,
                0.0::DOUBLE AS total FROM months WHERE place = 1
            UNION ALL
            SELECT m.workload, m.recipe, m.month, m.place,
                greatest(0, least(m.made, m.pace * m.days - walk.total - m.on_gpu)),
                walk.total + greatest(0, least(m.made, m.pace * m.days - walk.total - m.on_gpu))
            FROM walk JOIN months AS m ON m.workload = walk.workload
                AND m.recipe IS NOT DISTINCT FROM walk.recipe AND m.place = walk.place + 1),
        gross AS (
            SELECT workload, recipe, strftime(date, '%Y-%m') AS month, sum(gross_saving) AS gross,
                sum(credited_epochs) FILTER (gross_saving IS NOT NULL) AS made
            FROM savings_by_kind WHERE settled GROUP BY ALL),
        truth AS (
            SELECT workload, month, sum(CASE WHEN gross < 0 OR made = 0 THEN gross
                ELSE gross * old / made END) AS saved
            FROM walk JOIN gross USING (workload, month)
            WHERE walk.recipe IS NOT DISTINCT FROM gross.recipe AND place > 0 GROUP BY ALL)
        SELECT workload, month, saved, saving_at_old_volume AS shown
        FROM truth JOIN monthly_summary USING (workload, month)"""
    )
    assert len(rows) == 9
    assert all(abs(D(row["saved"]) - row["shown"]) < D("1e-6") for row in rows)
