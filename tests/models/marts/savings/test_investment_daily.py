"""METHOD §6: investment by day, and the running totals it stands in.

Each case is METHOD §8 A once more, as a workload of its own, and what differs.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from tests.conftest import migrated
from tests.support.marts.savings_cases import (
    covered,
    entry,
    idle,
    overheads,
)
from tests.support.some_marts import some_marts
from tests.support.world import Marts, World

TRN1, P4D = "trn1.32xlarge", "p4d.24xlarge"
GROSS = Decimal("1138.125")


UPKEEP = ("100", "0.01", "31", "1234.56")
CASES = ("ported", "later", "unclear", *(f"upkeep {amount}" for amount in UPKEEP))


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    world = World(tmp_path_factory.mktemp("invested"))
    for workload in CASES:
        migrated(world, workload)
    said = {"workload": "ported"}
    world.run("p1", TRN1, "2025-08-20", 10, 16, 2, purpose="port", **said)
    world.run("v1", TRN1, "2025-09-20", 5, 16, 1, purpose="validation", **said)
    world.run("bt", TRN1, "2025-08-18", 2, 16, 1, purpose="benchmark", **said)
    world.run("bg", P4D, "2025-08-18", 2, 25, 1, purpose="benchmark", **said)
    purposes(world)
    engineers = ("ported", "unclear")
    engineered = [each for each in world.config["investments"] if each["workload"] in engineers]
    later = [
        entry(workload="later", date=date(*day), amount=amount)
        for day, amount in (((2025, 8, 15), 1000), ((2025, 10, 30), 5000), ((2027, 1, 1), 7000))
    ]
    monthly = {"kind": "upkeep", "date": date(2025, 8, 17)}
    upkeep = [
        entry(workload=f"upkeep {amount}", amount_per_month=Decimal(amount), **monthly)
        for amount in UPKEEP
    ]
    loose = entry(workload=None, amount=1)
    return some_marts(
        world.pulled(
            investments=[*engineered, *later, *upkeep, loose],
            tags={"extra": ["purpose", "recipe", "team"]},
        ),
        "break_even",
        "cost_per_epoch",
        "investments",
        "monthly_summary",
        "runs",
        "savings_daily",
    )


def purposes(world: World) -> None:
    """What `unclear` ran besides, for what nobody can follow."""
    said = {"workload": "unclear"}
    world.run("v1", TRN1, "2025-09-20T00:00:00", 5, 16, 1, purpose=" Validation ", **said)
    world.run("b1", TRN1, "2025-08-20T00:00:00", 10, 16, 2, purpose="baseline", **said)
    for run, machine in (("x1", TRN1), ("x2", P4D)):
        world.hours("2025-08-22", 10, machine, 90, said | {"run": run, "purpose": "prodution"})
        for hour, epoch in ((0, 0), (10, 3)):
            world.sample(f"2025-08-22T{hour:02}:00:00", run, epoch, loss=1.5, **said)


def test_what_the_move_left_idle_of_gpu_commitments_is_investment_and_not_overhead(
    atlas: World,
) -> None:
    """METHOD §6: beyond the average before, by month; whole months here: May to August."""
    atlas.hours("2025-09-01T00:00:00", 1, TRN1, 16, {"workload": "atlas-7b", "run": "t0"})
    covered(atlas, "atlas-7b", "g1", plan="sp-gpu")
    for day in ("05-01", "06-10", "08-01", "08-31"):
        idle(atlas, day, 100, "sp-gpu")  # $400 in 4 months: $100 a month
    idle(atlas, "09-20", 700, "sp-gpu")  # 600 beyond
    idle(atlas, "10-10", 31, "sp-gpu")
    idle(atlas, "10-20", 200, "sp-gpu")  # 231 less 100 × 28 settled days of 31
    covered(atlas, "atlas-7b", "g2", "t2", plan="sp-both")
    idle(atlas, "09-30", 300, "sp-both")  # none before, so all of it
    asked = ("investments", "savings_daily", "break_even")
    marts = some_marts(atlas.pulled(), *asked)
    rows = marts.rows("SELECT date, amount FROM investments WHERE kind = 'stranded_commitment'")
    october = Decimal("231") - Decimal("90.322580645")
    assert {row["date"]: row["amount"] for row in rows} == {
        date(2025, 9, 1): Decimal(900),
        date(2025, 10, 1): october,
    }
    tenth, twentieth = marts.rows(
        "SELECT investment FROM savings_daily WHERE investment > 0 AND date > '2025-10-01' "
        "ORDER BY date"
    )
    assert tenth["investment"] == round(october * 31 / 231, 9)
    assert tenth["investment"] + twentieth["investment"] == october
    assert marts.standing()["cumulative_investment"] == 10_000 + 900 + october
    assert overheads(marts, "atlas-7b") == {}
    own, everyone = marts.standing(), marts.standing("(portfolio)")
    left = own["cumulative_net_saving"] - everyone["cumulative_net_saving"]
    assert left == 100 + Decimal("90.322580645")
    assert everyone["cumulative_investment"] == own["cumulative_investment"]


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    """Workloads a and b under one plan, moved on 11 and 21 August; what was paid for a and both."""
    world = World(tmp_path_factory.mktemp("two"))
    for workload, day in (("a", 11), ("b", 21)):
        for run, start, kind in (("g", "2025-06-01", P4D), ("t", f"2025-08-{day}", TRN1)):
            tags = {"workload": workload, "run": f"{run}{workload}"}
            world.hours(f"{start}T00:00:00", 10, kind, 10, tags)
        covered(world, workload, f"g{workload}", plan="sp-gpu")
    for day, cost in (
        ("06-15", 116),
        ("08-05", 100),
        ("08-15", 113),
        ("08-25", 113),
        ("09-10", 93),
        ("10-20", 0),  # it has not ended
    ):
        idle(world, day, cost, "sp-gpu")
    world.charge("2025-10-30T00:00:00", 1)
    loose = entry(workload=None, date=date(2025, 1, 2), amount=500)
    more = loose | {"kind": "partner", "amount": 7}
    settings = world.pulled(investments=[entry(workload="a", amount=1000), loose, more])
    asked = ("break_even", "investments", "monthly_summary", "portfolio_daily", "savings_daily")
    return some_marts(settings, *asked)


def test_what_two_moves_left_idle_is_each_ones_by_gpu_hours(two: Marts) -> None:
    """METHOD §6: $216 in 2 + 10/31 months before the first move; $93 a month, $63 of 21 days.

    What was idle in August before that day is of those before; September is as idle as ever.
    """
    rows = two.rows(
        "SELECT workload, amount FROM investments WHERE kind = 'stranded_commitment' ORDER BY 1"
    )
    half = Decimal("81.5")  # of the $163 beyond: before b moved, and after
    assert [tuple(row.values()) for row in rows] == [("a", half + half / 2), ("b", half / 2)]
    months = two.rows(
        "SELECT overhead FROM monthly_summary WHERE workload = '(portfolio)' AND month IN "
        "('2025-08', '2025-09') ORDER BY month"
    )
    assert [row["overhead"] for row in months] == [63, 93]


def test_investment_of_the_portfolio_counts_on_the_portfolio_alone(two: Marts) -> None:
    """Beside $1,000 of a, and what both left idle."""
    assert two.standing("a")["cumulative_investment"] == 1000 + Decimal("122.25")
    assert two.standing("b")["cumulative_investment"] == Decimal("40.75")
    assert two.standing("(portfolio)")["cumulative_investment"] == 1507 + 163
    named = two.rows("SELECT DISTINCT workload FROM savings_daily ORDER BY 1")
    assert named == [{"workload": "a"}, {"workload": "b"}]
    standing = two.rows("SELECT workload FROM break_even ORDER BY 1")
    assert [row["workload"] for row in standing] == ["(portfolio)", "a", "b"]
    first = two.row("SELECT * FROM portfolio_daily WHERE date = '2025-01-02'")
    flows = ("trn_cost", "epochs", "counterfactual", "gross_saving", "overhead", "net_saving")
    assert [first[name] for name in (*flows, "investment")] == [0] * len(flows) + [507]


def test_port_validation_and_benchmark_runs_are_investment_and_nothing_else(marts: Marts) -> None:
    standing = marts.standing("ported")
    assert standing["cumulative_investment"] == 10_000 + 160 + 80 + 32 + 50
    assert standing["cumulative_net_saving"] == GROSS
    months = marts.rows(
        "SELECT hardware, sum(cost) AS cost, sum(runs)::INT AS runs FROM cost_per_epoch "
        "WHERE period = 'month' AND workload = 'ported' GROUP BY 1 ORDER BY 1"
    )
    assert [tuple(row.values()) for row in months] == [("gpu", 5250, 2), ("trainium", 1500, 3)]
    spent = "SELECT kind, amount FROM investments WHERE workload = 'ported' ORDER BY kind"
    assert [tuple(row.values()) for row in marts.rows(spent)] == [
        ("benchmark", 82),
        ("engineering", 10_000),
        ("port", 160),
        ("validation", 80),
    ]
    worked = "workload = 'ported' AND trn_cost > 0"
    cutover = marts.row(f"SELECT min(date) AS d FROM savings_daily WHERE {worked}")
    assert cutover == {"d": date(2025, 9, 2)}


def test_a_purpose_that_cannot_be_followed_costs_and_claims_nothing(marts: Marts) -> None:
    """METHOD §5, §6: what something was for is never guessed.

    On Trainium x1's $900 count, its 3 epochs at $175.875 do not. On GPU x2 sets no baseline. b1, a
    baseline on Trainium, is production: its $160 count, and its 2 epochs at $175.875, too.
    """
    standing = marts.standing("unclear")
    saved = GROSS + Decimal("351.75") - 160 - 900
    assert standing["cumulative_gross_saving"] == saved
    assert standing["cumulative_net_saving"] == saved
    assert standing["cumulative_investment"] == 10_000 + 80
    assert standing["runs_to_break_even"] == 113  # (10,080 − 429.875) ÷ 85.975 = 112.24
    assert standing["left_out"] == {"unknown_purpose": Decimal("527.625")}
    rows = marts.rows(
        "SELECT run, purpose, flags FROM runs "
        "WHERE workload = 'unclear' AND run IN ('v1', 'b1', 'x1', 'x2')"
    )
    assert {row["run"]: (row["purpose"], row["flags"]) for row in rows} == {
        "v1": ("validation", []),
        "b1": ("baseline", []),
        "x1": ("prodution", ["unknown_purpose"]),
        "x2": ("prodution", ["unknown_purpose"]),
    }
    assert (
        "; purpose prodution of run x1 is not production, baseline, validation, port or "
        "benchmark: its cost counts and its epochs are not credited until it is"
    ) in standing["reason"]


@pytest.mark.parametrize("amount", UPKEEP)
def test_upkeep_is_spread_by_day_and_its_months_are_exact(marts: Marts, amount: str) -> None:
    workload = f"upkeep {amount}"
    months = marts.rows(
        "SELECT strftime(date, '%m') AS m, sum(upkeep) AS spent FROM savings_daily "
        "WHERE upkeep > 0 AND workload = ? AND overhead = upkeep GROUP BY 1 ORDER BY 1",
        workload,
    )
    spent = {row["m"]: row["spent"] for row in months}
    assert spent["09"] == Decimal(amount)
    begun = Decimal(amount) * 15 / 31
    assert abs(spent["08"] - begun) <= Decimal("1e-8")
    finance = marts.row(
        "SELECT investment, overhead, settled_through FROM monthly_summary "
        "WHERE month = '2025-09' AND workload = ?",
        workload,
    )
    assert finance == {
        "investment": 0,
        "overhead": Decimal(amount),
        "settled_through": date(2025, 9, 30),
    }


def test_investment_of_tomorrow_does_not_count_today(marts: Marts) -> None:
    assert marts.standing("later")["cumulative_investment"] == 1000


def test_running_totals_are_sums_of_the_settled_days(marts: Marts) -> None:
    rows = marts.rows(
        "SELECT *, sum(net_saving) OVER (ORDER BY date) AS net, "
        "sum(investment) OVER (ORDER BY date) AS spent FROM savings_daily "
        "WHERE workload = 'ported' ORDER BY date"
    )
    assert len(rows) == 180
    for row in rows:
        assert row["cumulative_net_saving"] == row["net"]
        assert row["cumulative_investment"] == row["spent"]
        assert row["cumulative_net"] == row["net"] - row["spent"]
