"""METHOD §6, How much is judged: a headline about a twentieth of the spend says so."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

import pytest
from hypothesis import strategies as st

from models.contract.schema import EXPLAINERS
from models.marts.savings.coverage.covered_shares import covered_shares
from tests.support.marts.compiled_once import applied
from tests.support.marts.mart_inputs import table
from tests.support.marts.savings_cases import P4D, TRN1
from tests.support.properties.examples import examples
from tests.support.some_marts import some_marts
from tests.support.world import Marts, World

D = Decimal
PORTFOLIO = "(portfolio)"
OLD = "2025-06-02T00:00:00"


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    """All on Trainium in October: `known` has two GPU runs, `single` one, `two` a recipe without.

    `barred` has two whose loss nobody reports, and must be verified; of `blind` no cost is known.
    """
    world = World(tmp_path_factory.mktemp("coverage"))
    for workload in ("known", "two", "barred", "blind"):
        loss = None if workload == "barred" else 1.5
        for run, start in (("g1", "2025-05-01"), ("g2", "2025-05-10")):
            world.run(run, P4D, f"{start}T00:00:00", 10, 10, 1, workload=workload, loss=loss)
        world.run("t1", TRN1, "2025-10-01T00:00:00", 10, 40, 4, workload=workload, loss=loss)
    world.run("g1", P4D, "2025-05-01T00:00:00", 100, 20, 10, workload="single")
    world.run("t1", TRN1, "2025-10-01T00:00:00", 100, 80, 40, workload="single")
    world.run("l1", TRN1, OLD, 10, 60, 4, workload="two", recipe="lora")
    world.run("p1", TRN1, OLD, 10, 999, 4, workload="known", purpose="port")
    free = {"workload": "blind", "run": "t1"}
    world.hours("2025-10-02T00:00:00", 1, TRN1, 0, free, ListCost=0, ContractedCost=0)
    world.charge("2025-10-30T00:00:00", "1.00", x_UsageType="Requests-Tier1")
    settings = world.pulled(
        workloads=[{"name": "barred", "require_verified": True}],
        baseline={"method": "measured"},
    )
    return some_marts(
        settings, "break_even", "monthly_summary", "judged_daily", "unjudged_kinds",
        "savings_by_kind", "spend_daily", "runs",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("workload", "whole", "recent", "cost_to_know"),
    [
        ("known", 1, 1, None),
        ("single", 0, 0, 180),
        ("two", D("0.4"), 1, None),
        ("barred", 0, 0, None),
        ("blind", None, None, None),
    ],
)
def test_a_workload_says_how_much_of_its_trainium_spend_is_judged(
    marts: Marts, workload: str, whole: object, recent: object, cost_to_know: object
) -> None:
    standing = marts.standing(workload)
    shares = standing["covered_share"], standing["covered_share_recent"]
    assert (*shares, standing["cost_to_know"]) == (whole, recent, cost_to_know)


def test_a_month_has_the_share_of_its_own_spend(marts: Marts) -> None:
    sql = "SELECT month, covered_share AS share FROM monthly_summary WHERE workload = 'two'"
    rows = marts.rows(f"{sql} AND trn_cost > 0 ORDER BY month")
    assert [tuple(row.values()) for row in rows] == [("2025-06", 0), ("2025-10", 1)]


def test_a_kind_without_a_baseline_says_what_it_lacks(marts: Marts) -> None:
    """One run more of 0.9 epoch at $200; or nothing to go on, and a benchmark comes first."""
    rows = marts.rows("SELECT * FROM unjudged_kinds ORDER BY workload")
    single = ("single", None, "epoch", 8000, 1, 1, D("0.9"), 200, 180)
    assert [tuple(row.values()) for row in rows] == [
        single,
        ("two", "lora", "epoch", 600, 0, 2, None, None, None),
    ]


def test_the_portfolio_is_unknown_where_a_cost_is_but_not_what_would_be_to_pay(
    marts: Marts,
) -> None:
    standing = marts.standing(PORTFOLIO)
    assert (standing["covered_share"], standing["cost_to_know"]) == (None, 180)


def test_the_cost_is_that_of_the_runs_and_what_is_judged_that_of_savings(marts: Marts) -> None:
    """Once more from other marts: the bill by run, and the savings of each kind."""
    rows = marts.rows(
        """WITH spent AS (
            SELECT workload, sum(effective_cost) AS trn_cost FROM spend_daily
            JOIN runs USING (workload, run)
            WHERE settled AND runs.hardware = 'trainium' AND purpose = 'production' GROUP BY ALL),
        judged AS (
            SELECT workload, sum(trn_cost) AS judged_cost FROM savings_by_kind
            WHERE settled AND counterfactual IS NOT NULL GROUP BY ALL),
        shown AS (
            SELECT workload, sum(trn_cost) AS shown, sum(judged_cost) AS shown_judged
            FROM judged_daily GROUP BY ALL)
        SELECT workload, trn_cost = shown AS same,
            coalesce(judged_cost, 0) = shown_judged AS same_judged
        FROM spent JOIN shown USING (workload) LEFT JOIN judged USING (workload)
        WHERE workload <> 'blind'"""
    )
    assert len(rows) == 4
    assert all(row["same"] and row["same_judged"] for row in rows)


def test_what_it_costs_to_know_is_what_sql_makes_of_the_gpu_runs(marts: Marts) -> None:
    """Once more from `runs`: (2 − n) × 0.9 epoch × Σ cost ÷ Σ epochs of the n runs of the kind."""
    rows = marts.rows(
        """WITH gpu AS (
            SELECT workload, recipe, count(*) AS n, sum(cost) / sum(epochs) AS each FROM runs
            WHERE hardware = 'gpu' AND epochs >= 0.9 GROUP BY ALL),
        due AS (
            SELECT workload, sum((2 - n) * 0.9 * each) AS cost_to_know FROM gpu
            WHERE n < 2 AND EXISTS (FROM runs r WHERE r.workload = gpu.workload
                AND r.recipe IS NOT DISTINCT FROM gpu.recipe AND r.hardware = 'trainium')
            GROUP BY workload)
        SELECT workload, b.cost_to_know AS shown, due.cost_to_know AS due
        FROM break_even b LEFT JOIN due USING (workload) WHERE workload <> '(portfolio)'"""
    )
    assert {row["workload"]: row["shown"] for row in rows if row["shown"]} == {"single": 180}
    assert all(row["shown"] == row["due"] for row in rows)


SETTLED = {"workload": "string", "settled_through": "date", "recent_since": "date"}
DAYS = st.lists(
    st.tuples(st.integers(0, 200), st.decimals(0, 9000, places=2), st.integers(0, 4)), max_size=6
)


def test_whatever_was_spent_a_share_is_one_and_the_portfolio_lies_between() -> None:
    """Drawn days, judged by quarters of their cost: a workload an example.

    Fourteen days of the window are not settled, so that it begins as many days earlier.
    """
    end, drawn = date(2025, 12, 31), examples(DAYS, 40)
    since = end - timedelta(days=97)
    days = [
        (end - timedelta(days=back), f"w{place}", cost, cost * quarters / 4)
        for place, own in enumerate(drawn)
        for back, cost, quarters in own
    ]
    last = [(f"w{place}", end, since) for place in range(len(drawn))]
    found = applied(
        covered_shares,
        table(EXPLAINERS["judged_daily"], days),
        table(EXPLAINERS["unjudged_kinds"], []),
        table(SETTLED, last),
    )
    rows = {row.pop("workload"): row for row in found.to_pyarrow().to_pylist()}
    for name, days_back in (("covered_share", 999), ("covered_share_recent", 98)):
        shares = {}
        for place, own in enumerate(drawn):
            within = [day for day in own if day[0] < days_back]
            spent = sum(cost for _, cost, _ in within)
            part = sum(cost * quarters / 4 for _, cost, quarters in within)
            shares[f"w{place}"] = round(part / spent, 9) if spent else None
        assert {who: row[name] for who, row in rows.items() if who != PORTFOLIO} == {
            who: share for who, share in shares.items() if who in rows
        }
        known = [share for share in shares.values() if share is not None]
        assert 0 <= min(known) <= rows[PORTFOLIO][name] <= max(known) <= 1


def test_what_two_kinds_lack_is_to_pay_for_both() -> None:
    """A workload of which a cost is unknown leaves the portfolio's share unknown."""
    end = date(2025, 12, 31)
    lacking = [
        {"workload": name, "recipe": kind, "cost_to_know": cost}
        for name, kind, cost in (("w", "a", D(180)), ("w", "b", D(20)), ("w", "c", None))
    ]
    judged = [(end, "w", D(10), D(5)), (end, "v", D(1), None), (end, "u", None, D(1))]
    judged += [(end - timedelta(days=1), name, D(1), D(1)) for name in ("v", "u")]
    made = applied(
        covered_shares,
        table(EXPLAINERS["judged_daily"], judged),
        table(EXPLAINERS["unjudged_kinds"], [*lacking, {"workload": "v", "cost_to_know": D(7)}]),
        table(SETTLED, [(name, end, end - timedelta(days=83)) for name in "wvu"]),
    )
    found = {row["workload"]: row for row in made.to_pyarrow().to_pylist()}
    assert {name: row["cost_to_know"] for name, row in found.items()} == {
        "w": 200, "v": 7, "u": None, PORTFOLIO: 207,
    }  # fmt: skip
    assert {name: row["covered_share"] for name, row in found.items()} == {
        "w": D("0.5"), "v": None, "u": None, PORTFOLIO: None,
    }  # fmt: skip
