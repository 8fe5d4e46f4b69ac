"""METHOD §5.6: one short run a side says whether the port is worth it."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from models.contract.schema import CONFIG, EXPLAINERS, MARTS, MONEY
from models.marts.baseline.benchmarks.benchmarks import benchmarks
from tests.conftest import migrated
from tests.support.marts.benchmarked_world import P4D, P5, TRN1, TRN2, benchmark
from tests.support.marts.compiled_once import applied
from tests.support.marts.hand_written_tables import table
from tests.support.marts.savings_cases import entry, kept
from tests.support.some_marts import SomeMarts, some_marts
from tests.support.world import World

D = Decimal


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> SomeMarts:
    """0.3 epoch an hour at $18 on p4d, 0.24 at $10.56 on trn1, unless a workload differs."""
    world = World(tmp_path_factory.mktemp("benchmarked"))
    for workload in ("both", "late", "short", "silent", "many", "untold", "sized"):
        _on_gpu(world, workload)
    for workload in ("both", "short", "many"):
        _on_trainium(world, workload)
    kept(world, "both", "both-t", "2025-09-03", 30, dollars=100)  # a volume that was forgotten
    for workload, hours in (("two", 4), ("less", 1)):
        _on_gpu(world, workload)
        _on_trainium(world, workload, hours=hours)
    _hosted(world)
    _more_platforms(world)
    _other_measures(world)
    _unsettled(world)
    migrated(world, "moved")
    _on_trainium(world, "moved")
    benchmark(world, "short", "short-g1", P4D, samples=2)
    world.hours("2025-09-02T00:00:00", 2, TRN1, 11, {"workload": "silent", "run": "silent-t"})
    benchmark(world, "untold", "untold-t", TRN1, measure="tokens", size=10**9)
    benchmark(world, "sized", "sized-t", TRN1, samples_per_epoch=2_000_000)
    asked = world.pulled(
        workloads=[{"name": "both", "planned_epochs": 10}, {"name": "many", "planned_epochs": 10}],
        investments=[
            *world.config["investments"],
            entry(workload="both", amount=9_000),
            entry(workload="both", amount=-1_000, kind="funding"),
            entry(workload="both", kind="upkeep", amount_per_month=50),
            entry(workload=None, amount=77),
        ],
        runs=[
            {"run": "silent-t", "purpose": "benchmark"},
            {"run": "many-t", "workload": "many", "machines": 4},
        ],
    )
    return some_marts(asked, "benchmarks", "benchmark_runs", "spend_daily", "samples")


def _on_gpu(world: World, workload: str, **other: Any) -> None:  # noqa: ANN401
    benchmark(world, workload, f"{workload}-g", P4D, **other)


def _on_trainium(world: World, workload: str, **other: Any) -> None:  # noqa: ANN401
    usual = {"rate": "10.56", "pace": "0.04"}
    benchmark(world, workload, f"{workload}-t", TRN1, **(usual | other))


def _hosted(world: World) -> None:
    """A host without accelerators bears the run's tag for an hour, and another one a day longer."""
    _on_gpu(world, "hosted")
    _on_trainium(world, "hosted")
    tags = {"workload": "hosted", "run": "hosted-t"}
    for day, hours in (("2025-09-02", 1), ("2025-09-03", 24)):
        world.hours(f"{day}T00:00:00", hours, "c5.4xlarge", "0.68", tags)


def _more_platforms(world: World) -> None:
    """A p5 twice as fast as p4d at $30, and four machines that took as long to boot as to train."""
    benchmark(world, "many", "many-p5", P5, rate=30, pace="0.1")
    benchmark(world, "many", "many-g2", P4D, pace="0.025")
    world.hours("2025-09-01T00:00:00", 14, TRN1, "10.56", {"workload": "many", "run": "many-t"})


def _other_measures(world: World) -> None:
    """Tokens alone; samples on the one side, epochs of a known size on the other."""
    for side in (_on_gpu, _on_trainium):
        side(world, "tokens", measure="tokens", size=10**9)
    _on_gpu(world, "samples", samples_per_epoch=1_000_000)
    _on_trainium(world, "samples", measure="samples", size=1_000_000)


def _unsettled(world: World) -> None:
    """One side is on the bill of a day that is not settled yet."""
    _on_trainium(world, "late", day="2025-10-29")
    _on_gpu(world, "unpriced")
    benchmark(world, "unpriced", "unpriced-t", TRN2, rate=30, day="2025-10-29")


def on(marts: SomeMarts, workload: str, platform: str) -> dict[str, Any]:
    """The answer of one platform's benchmarks."""
    where = "workload = ? AND platform = ?"
    return marts.row(f"SELECT * FROM benchmarks WHERE {where}", workload, platform)


def reason(marts: SomeMarts, run: str) -> str:
    """Why a run has no number."""
    sql = "SELECT cost_per_epoch, reason FROM benchmark_runs WHERE run = ?"
    row = marts.row(sql, run)
    assert row["cost_per_epoch"] is None
    return str(row["reason"])


def test_machines_that_are_not_declared_are_those_of_the_billed_hours(marts: SomeMarts) -> None:
    """1.5 steady hours of 1.67 reported: four hours on the bill are two machines, one hour is one.

    What they cost is the steady part of what was billed.
    """
    sql = "SELECT instance_hours, cost, epochs FROM benchmark_runs WHERE run = ?"
    two, less = (marts.row(sql, run) for run in ("two-t", "less-t"))
    assert two == {"instance_hours": 3, "cost": D("31.68"), "epochs": D("0.36")}
    assert less == {"instance_hours": D("1.5"), "cost": D("15.84"), "epochs": D("0.36")}


def test_a_host_without_accelerators_costs_and_adds_no_hours(marts: SomeMarts) -> None:
    """2 hours at $10.56 and $0.68 of the host: 1.5 hours of $10.90. Its next day is no hour's."""
    sql = "SELECT instance_hours, cost, cost_per_epoch FROM benchmark_runs WHERE run = 'hosted-t'"
    assert marts.row(sql) == {
        "instance_hours": D("1.5"),
        "cost": D("16.35"),
        "cost_per_epoch": D("45.416666667"),
    }


def test_one_short_run_a_side_is_enough_for_an_answer(marts: SomeMarts) -> None:
    """1.5 steady hours: 0.45 epoch at $18 an hour, 0.36 at $10.56; 8,000 ÷ 160 = 50 results."""
    gpu, trn = on(marts, "both", "p4d"), on(marts, "both", "trn1")
    assert (gpu["instance_hours"], gpu["instance_hours_per_epoch"]) == (D("1.5"), D("3.333333333"))
    assert (gpu["cost_per_epoch"], gpu["cost_per_result"]) == (60, 600)
    assert (gpu["against"], gpu["saving_per_result"], gpu["results_to_pay"]) == (None, None, None)
    assert (trn["instance_hours_per_epoch"], trn["cost_per_epoch"]) == (D("4.166666667"), 44)
    assert (trn["planned_epochs"], trn["planned_by"], trn["cost_per_result"]) == (10, "config", 440)
    assert (trn["against"], trn["against_platform"]) == ("benchmark", "p4d")
    assert (trn["saving_per_epoch"], trn["saving_per_result"]) == (16, 160)
    assert (trn["declared_port"], trn["results_to_pay"]) == (8_000, 50)


def test_against_a_history_the_baseline_counts_and_its_median_is_the_plan(marts: SomeMarts) -> None:
    """METHOD §8 A: $175.875 an epoch on the last settled day, 10 epochs; 10,000 ÷ 1,318.75."""
    trn = on(marts, "moved", "trn1")
    assert (trn["against"], trn["against_platform"]) == ("baseline", None)
    assert (trn["gpu_cost_per_epoch"], trn["planned_by"]) == (D("175.875"), "median")
    assert (trn["saving_per_result"], trn["results_to_pay"]) == (D("1318.75"), 8)


def test_several_benchmarks_pool_and_the_gpu_that_costs_least_is_what_you_would_rent(
    marts: SomeMarts,
) -> None:
    """p4d 54 ÷ 0.675, never the mean of 60 and 120; p5 45 ÷ 0.9; four machines train together."""
    assert on(marts, "many", "p4d")["cost_per_epoch"] == 80
    assert on(marts, "many", "p5")["cost_per_epoch"] == 50
    trn = on(marts, "many", "trn1")
    assert (trn["instance_hours"], trn["cost_per_epoch"]) == (6, 176)
    assert (trn["against_platform"], trn["saving_per_result"]) == ("p5", -1260)
    assert trn["results_to_pay"] is None


def test_before_the_bill_is_settled_both_sides_stand_at_the_list_prices_of_the_day(
    marts: SomeMarts,
) -> None:
    """3⅓ × $21.957642 and 4⅙ × $21.50."""
    gpu, trn = on(marts, "late", "p4d"), on(marts, "late", "trn1")
    assert (gpu["priced"], gpu["cost_per_epoch"]) == ("list", D("73.19214"))
    assert (trn["priced"], trn["cost_per_epoch"]) == ("list", D("89.583333333"))
    assert trn["saving_per_epoch"] == D("73.19214") - D("89.583333333")


def test_without_a_list_price_an_unsettled_benchmark_says_so(marts: SomeMarts) -> None:
    why = "there is no list price of trn2.48xlarge in us-east-1 on 2025-10-31"
    assert reason(marts, "unpriced-t") == why
    assert on(marts, "unpriced", "trn2")["reason"] == f"run unpriced-t: {why}"
    assert on(marts, "unpriced", "p4d")["priced"] == "list"


def test_tokens_and_samples_are_counted_in_a_unit_that_both_sides_tell(marts: SomeMarts) -> None:
    for workload, unit in (("tokens", "billion_tokens"), ("samples", "million_samples")):
        gpu, trn = on(marts, workload, "p4d"), on(marts, workload, "trn1")
        assert (gpu["unit"], gpu["cost_per_epoch"]) == (unit, 60)
        assert (trn["cost_per_epoch"], trn["saving_per_epoch"]) == (44, 16)
        assert (trn["planned_epochs"], trn["saving_per_result"]) == (None, None)


def test_a_benchmark_that_says_nothing_has_no_number_and_one_clear_line(marts: SomeMarts) -> None:
    few = "the steady part, after the first tenth of its reported time, has 1 sample and needs 2"
    assert reason(marts, "short-g1") == f"{few}: report more often, or run it longer"
    assert reason(marts, "silent-t") == "it reports no progress"
    assert reason(marts, "untold-t") == "it reports no epochs"
    assert reason(marts, "sized-t") == "its samples per epoch differ"
    gpu = on(marts, "short", "p4d")
    assert (gpu["runs"], gpu["cost_per_epoch"]) == (1, 60)
    assert gpu["reason"].startswith("run short-g1: ")
    silent = on(marts, "silent", "trn1")
    assert (silent["runs"], silent["cost_per_epoch"], silent["saving_per_epoch"]) == (0, None, None)


BY_HAND = """
WITH steady AS (
  SELECT workload, run, observed_at, coalesce(epoch, tokens / 1e9, samples / 1e6) AS done
  FROM samples
  WINDOW w AS (PARTITION BY workload, run)
  QUALIFY epoch(observed_at) - min(epoch(observed_at)) OVER w
    >= (max(epoch(observed_at)) OVER w - min(epoch(observed_at)) OVER w) / 10),
did AS (
  SELECT workload, run, max(done) - min(done) AS work,
         epoch(max(observed_at) - min(observed_at)) / 3600 AS hours
  FROM steady GROUP BY ALL),
paid AS (
  SELECT workload, run, platform, sum(effective_cost) / sum(instance_hours) AS rate
  FROM spend_daily WHERE instance_hours > 0 GROUP BY ALL)
SELECT workload, platform,
       sum(hours * rate * CASE run WHEN 'many-t' THEN 4 WHEN 'two-t' THEN 2 ELSE 1 END)
         / sum(work) AS by_hand
FROM did JOIN paid USING (workload, run)
WHERE run NOT IN ('short-g1', 'hosted-t', 'g1', 'g2', 't1', 't2', 't3') AND work > 0 GROUP BY ALL"""


def test_cost_per_unit_is_what_hand_written_sql_makes_of_samples_and_bill(marts: SomeMarts) -> None:
    rows = marts.rows(
        f"""SELECT workload, platform, cost_per_epoch, by_hand
        FROM benchmarks JOIN ({BY_HAND}) USING (workload, platform) WHERE priced = 'effective'"""
    )
    assert len(rows) == 20
    assert [r for r in rows if abs(float(r["cost_per_epoch"]) - r["by_hand"]) > 1e-6] == []


RUN = st.tuples(st.integers(1, 10**4), st.integers(1, 500), st.sampled_from(("gpu", "trainium")))
"""Cents of the steady part, hundredths of an epoch, and where."""


@settings(max_examples=25)
@given(st.lists(RUN, min_size=1, max_size=6), st.integers(1, 10**6), st.integers(1, 40))
def test_any_benchmarks_pool_by_sums_and_pay_the_port_in_the_fewest_results(
    runs: list[tuple[int, int, str]], port: int, planned: int
) -> None:
    rows = {row["hardware"]: row for row in answers(runs, port, planned)}
    each = {
        side: sum(Fraction(c, 100) for c, _, on in runs if on == side)
        / sum(Fraction(w, 100) for _, w, on in runs if on == side)
        for side in rows
    }
    assert rows.keys() == {on for *_, on in runs}
    for side, row in rows.items():
        assert abs(Fraction(row["cost_per_epoch"]) - each[side]) <= Fraction(1, 10**9)
        assert abs(Fraction(row["cost_per_result"]) - each[side] * planned) <= Fraction(1, 10**7)
    trn = rows.get("trainium", {})
    if trn and len(rows) == 2:
        saving, results = Fraction(trn["saving_per_result"]), trn["results_to_pay"]
        assert abs(saving - (each["gpu"] - each["trainium"]) * planned) <= Fraction(1, 10**7)
        assert (results is None) == (saving <= 0)
        if results is not None:
            assert (results - 1) * saving < port
            assert results * saving >= port * (1 - Fraction(1, 10**9))


def answers(runs: list[tuple[int, int, str]], port: int, planned: int) -> list[dict[str, Any]]:
    """What `benchmarks` makes of runs on one platform a side, without a history."""
    given_runs = [
        {
            "workload": "w", "run": f"b{n}", "hardware": on, "platform": on, "unit": "epoch",
            "samples": 3, "instance_hours": 1, "epochs": D(work) / 100, "priced": "effective",
            "cost": D(cents) / 100, "cost_per_epoch": 1,
        }
        for n, (cents, work, on) in enumerate(runs)
    ]  # fmt: skip
    made = applied(
        benchmarks,
        table(EXPLAINERS["benchmark_runs"], *given_runs),
        table(MARTS["baselines"]),
        table({"workload": "string", "settled_through": "date"}),
        table({"workload": "string", "kind": "string", "work": MONEY, "qualifies": "boolean"}),
        table(CONFIG["config_workloads"], {"workload": "w", "planned_epochs": planned}),
        table(CONFIG["config_investments"], {"workload": "w", "kind": "tooling", "amount": port}),
    )
    return [dict(row) for row in made.to_pyarrow().to_pylist()]
