"""METHOD §4, The pair and Wall clock: what a result costs and how long it takes, on either side."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import strategies as st

from models.contract.schema import EXPLAINERS, MONEY
from models.marts.savings.results.price_of_a_day import with_results
from tests.support.marts.mart_inputs import table
from tests.support.marts.savings_cases import P4D, TRN1, of
from tests.support.properties.examples import examples
from tests.support.some_marts import some_marts
from tests.support.world import Marts, World

D = Decimal
PAIR = (
    "gpu_cost_per_result", "trn_cost_per_result", "gpu_hours_per_unit", "trn_hours_per_unit",
    "delay_hours", "price_of_a_day",
)  # fmt: skip


def trained(world: World, workload: str, run: str, kind: str, start: str, **of_it: int) -> None:
    """A run of so many `hours`, `epochs` and `dollars`."""
    hours, cost = of_it["hours"], D(of_it["dollars"])
    world.run(run, kind, f"{start}T00:00:00", hours, cost / hours, of_it["epochs"],
              workload=workload)  # fmt: skip


def on_gpu(world: World, workload: str, hours: int = 40) -> None:
    for run, start in (("g1", "2025-06-02"), ("g2", "2025-06-12")):
        trained(world, workload, run, P4D, start, hours=hours, epochs=4, dollars=400)


def aimed(world: World, workload: str, run: str, kind: str, start: str, loss: float) -> None:
    """Four epochs in 40 hours on GPU for $400, in 58 on Trainium for $328; the loss at the end."""
    hours, dollars = (40, 400) if kind == P4D else (58, 328)
    trained(world, workload, run, kind, start, hours=hours, epochs=4, dollars=dollars)
    world.samples[-2]["loss"], world.samples[-1]["loss"] = 3.0, loss


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    """GPU runs of four epochs in 40 hours for $400 each, and runs on Trainium in September."""
    world = World(tmp_path_factory.mktemp("results"))
    for workload in ("slower", "faster", "dearer", "by day", "older"):
        on_gpu(world, workload)
    for run, start in (("t1", "2025-09-02"), ("t2", "2025-09-12")):
        trained(world, "slower", run, TRN1, start, hours=58, epochs=4, dollars=328)
        trained(world, "faster", run, TRN1, start, hours=36, epochs=4, dollars=328)
        trained(world, "dearer", run, TRN1, start, hours=58, epochs=4, dollars=428)
    trained(world, "slower", "t0", TRN1, "2025-07-02", hours=400, epochs=4, dollars=4000)
    trained(world, "by day", "t1", TRN1, "2025-09-02", hours=58, epochs=4, dollars=328)
    for charge in of(world, "by day", "t1"):
        end = datetime.fromisoformat(str(charge["ChargePeriodStart"])) + timedelta(days=1)
        charge["ChargePeriodEnd"] = end.isoformat()
    tags = {"workload": "by day", "run": "t1"}
    world.hours("2025-09-01T00:00:00", 1, TRN1, 0.01, tags, ChargePeriodEnd="2025-09-02T00:00:00")
    trained(world, "older", "t1", TRN1, "2025-07-02", hours=58, epochs=4, dollars=328)
    for workload, last in (("aimed", 2.0), ("missed", 2.5)):
        aimed(world, workload, "g1", P4D, "2025-06-02", 2.0)
        aimed(world, workload, "g2", P4D, "2025-06-12", 2.5)
        aimed(world, workload, "t1", TRN1, "2025-09-02", last)
        aimed(world, workload, "t2", TRN1, "2025-09-12", 2.5)
    world.charge("2025-10-30T00:00:00", "1.00", x_UsageType="Requests-Tier1")
    targets = [{"name": name, "target_loss": 2.0} for name in ("aimed", "missed")]
    settings = world.pulled(baseline={"method": "measured"}, workloads=targets)
    return some_marts(
        settings, "break_even", "results", "result_runs", "recent_windows", "runs", "baselines",
        "savings_by_kind",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("workload", "pair"),
    [
        ("slower", (400, 328, 10, D("14.5"), 18, 96)),
        ("faster", (400, 328, 10, 9, -4, None)),
        ("dearer", (400, 428, 10, D("14.5"), 18, None)),
        ("by day", (400, D("328.01"), 10, None, None, None)),
        ("older", (400, 328, 10, D("14.5"), 18, None)),
        ("aimed", (800, 656, 10, D("14.5"), 18, 96)),
        ("missed", (800, None, 10, D("14.5"), 18, None)),
        ("(portfolio)", (None,) * 6),
    ],
)
def test_a_result_costs_and_takes_so_much_on_either_side(
    marts: Marts, workload: str, pair: tuple[object, ...]
) -> None:
    """METHOD §8 Q: four hours and a half longer an epoch, $72 saved a lineage: $96 a day."""
    standing = marts.standing(workload)
    assert tuple(standing[name] for name in PAIR) == pair


def test_a_result_is_a_run_that_reached_the_target_and_the_others_are_paid_for_by_it(
    marts: Marts,
) -> None:
    """Of two GPU runs one reached it: eight epochs a result. On Trainium $656 made one, or none."""
    sql = "SELECT workload, hardware, reached, result_work, hours_per_result FROM results"
    rows = marts.rows(f"{sql} WHERE reached IS NOT NULL ORDER BY workload, hardware")
    assert [tuple(row.values()) for row in rows] == [
        ("aimed", "gpu", 1, 8, 80),
        ("aimed", "trainium", 1, None, 116),
        ("missed", "gpu", 1, 8, 80),
        ("missed", "trainium", 0, None, None),
    ]


def test_the_recent_runs_count_and_older_ones_only_where_there_are_none(marts: Marts) -> None:
    rows = marts.rows("SELECT * FROM result_runs WHERE hardware = 'trainium'")
    named = {workload: [] for workload in ("slower", "older")}
    for row in rows:
        named.setdefault(row["workload"], []).append(row["lineage"])
    assert (sorted(named["slower"]), named["older"]) == (["t1", "t2"], ["t1"])
    days = marts.rows("SELECT workload, days FROM results WHERE hardware = 'trainium'")
    assert {row["workload"]: row["days"] for row in days}["older"] == "all"


def test_every_pair_is_what_sql_makes_of_the_runs(marts: Marts) -> None:
    """Once more from `runs` and `baselines`: every lineage here is one run of enough work."""
    shown = ", ".join(f"{name} AS shown_{name}" for name in PAIR)
    rows = marts.rows(
        f"""WITH last AS (SELECT workload, cutoff AS day FROM recent_windows WHERE newest),
        trn AS (
            SELECT *, ended_at::DATE > day - 84 AS recent,
                bool_or(ended_at::DATE > day - 84) OVER (PARTITION BY workload) AS lately
            FROM runs JOIN last USING (workload) WHERE hardware = 'trainium'),
        sides AS (
            SELECT workload, sum(cost) / sum(epochs) AS each, median(epochs) AS work,
                CASE WHEN count(elapsed_hours) > 0 THEN median(elapsed_hours / epochs) END AS hours
            FROM trn WHERE recent OR NOT lately GROUP BY ALL),
        gpu AS (
            SELECT workload, median(epochs) AS result, median(elapsed_hours / epochs) AS hours
            FROM runs WHERE hardware = 'gpu' GROUP BY ALL),
        truth AS (
            SELECT workload, value * result AS gpu_cost_per_result,
                sides.each * result AS trn_cost_per_result, gpu.hours AS gpu_hours_per_unit,
                sides.hours AS trn_hours_per_unit, (sides.hours - gpu.hours) * work AS delay_hours,
                24 * (net_saving / recent.runs)
                    / nullif((sides.hours - gpu.hours) * work, 0) AS price_of_a_day
            FROM sides JOIN gpu USING (workload) JOIN last USING (workload)
            JOIN recent_windows AS recent USING (workload)
            JOIN baselines USING (workload)
            WHERE recent.newest AND baselines.date = day)
        SELECT * FROM truth SEMI JOIN
        (SELECT workload FROM results WHERE reached IS NULL) USING (workload)
        JOIN (SELECT workload, {shown} FROM break_even) USING (workload)"""
    )
    assert len(rows) == 5
    for row in rows:
        price = row.pop("price_of_a_day")
        paid = price and price > 0 and row["delay_hours"] > 0
        truth = row | {"price_of_a_day": price if paid else None}
        for name in PAIR:
            assert same(truth[name], row[f"shown_{name}"]), (row["workload"], name)


def same(one: float | None, other: D | None) -> bool:
    if one is None or other is None:
        return one is other
    return abs(D(one) - other) < D("1e-6")


STANDING = st.tuples(
    st.decimals(-9000, 9000, places=2),
    st.integers(0, 9),
    *[st.none() | st.decimals(D("0.01"), 500, places=2)] * 3,
)


def test_a_day_has_a_price_where_a_delay_is_paid_for_and_only_there() -> None:
    """Whatever the hours and the saving: delay × price ÷ 24 is what a lineage saved."""
    drawn = {f"w{place}": each for place, each in enumerate(examples(STANDING, 60))}
    recent = {"workload": "string", "recent_net_saving": MONEY, "recent_runs": "int64"}
    standings = table(recent, [(name, net, runs) for name, (net, runs, *_) in drawn.items()])
    sides = [
        {"workload": name, "hardware": side, "main": True, "hours_per_epoch": hours,
         "median_work": work, "cost_per_result": D(1)}
        for name, (_, _, gpu, trn, work) in drawn.items()
        for side, hours in (("gpu", gpu), ("trainium", trn))
    ]  # fmt: skip
    found = with_results(standings, table(EXPLAINERS["results"], sides))
    for row in found.to_pyarrow().to_pylist():
        net, runs, gpu, trn, work = drawn[row["workload"]]
        known = None not in (gpu, trn, work)
        delay = round((trn - gpu) * work, 9) if known else None
        assert row["delay_hours"] == delay
        if known and delay > 0 and runs and net > 0:
            assert abs(row["price_of_a_day"] * delay / 24 - net / runs) < D("1e-5")
        else:
            assert row["price_of_a_day"] is None
