"""METHOD §3.6: with a target loss a result earns what it takes on GPU, and nothing else does."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import duckdb
import pytest
from hypothesis import strategies as st

from models.contract.schema import CONFIG, MARTS, MONEY, NUMBER
from models.marts.savings.credited_epochs import credited_daily
from tests.support.marts.compiled_once import applied
from tests.support.marts.hand_written_tables import table
from tests.support.properties.examples import examples

D = Decimal
DAY_ONE = date(2026, 9, 1)
DAYS = {
    "date": "date", "workload": "string", "lineage": "string", "run": "string", "kind": "string",
    "unit": "string", "main": "boolean", "settled": "boolean", "hardware": "string",
    "in_lineage": "boolean", "active": "boolean", "misplaced": "string", "cost": MONEY,
    "list_cost": MONEY, "epochs": NUMBER, "unbilled_epochs": NUMBER, "counted_in_unit": "boolean",
}  # fmt: skip
VERDICTS = {
    "workload": "string", "lineage": "string", "kind": "string", "comparability": "string",
    "parity": "string", "short": "boolean",
}  # fmt: skip
REACHED = {"workload": "string", "lineage": "string", "work_to_target": NUMBER}
AMOUNT = st.integers(1, 40).map(lambda quarters: D(quarters) / 4)
LINEAGES = st.tuples(st.lists(AMOUNT, min_size=1, max_size=5), st.none() | AMOUNT, st.booleans())
"""The work of each day; at which work it reached the target, if it did; whether it has ended."""
TRUTH = """
WITH done AS (
    SELECT *, sum(epochs) OVER (PARTITION BY lineage ORDER BY date) AS after FROM unit_daily),
each AS (SELECT *, after - epochs AS before FROM done JOIN reached USING (lineage)
    JOIN verdicts USING (lineage) JOIN baselines USING (date))
SELECT lineage, date, CASE
    WHEN parity = 'below_parity' THEN 0
    WHEN work_to_target IS NULL THEN least(after, cap) - least(before, cap)
    ELSE (least(after, work_to_target) - least(before, work_to_target)) * cap / work_to_target
    END::DOUBLE AS due
FROM each"""


@pytest.fixture(scope="module")
def drawn() -> list[tuple[list[Decimal], Decimal | None, bool]]:
    return [
        (days, None if way is None else min(way, sum(days, D(0))), ended)
        for days, way, ended in examples(LINEAGES, 60)
    ]


@pytest.fixture(scope="module")
def given(drawn: list[tuple[list[Decimal], Decimal | None, bool]]) -> dict[str, Any]:
    """A lineage a place; a result takes GPU 5 epochs on the first day, half a one more each day."""
    usual = {
        "workload": "w", "kind": "", "unit": "epoch", "main": True, "settled": True,
        "hardware": "trainium", "in_lineage": True, "active": True, "cost": 1, "list_cost": 1,
        "unbilled_epochs": 0,
    }  # fmt: skip
    days = [
        usual | {"date": DAY_ONE + timedelta(days=n), "lineage": f"l{place:02}", "epochs": work,
                 "run": f"l{place:02}"}
        for place, (own, _, _) in enumerate(drawn) for n, work in enumerate(own)
    ]  # fmt: skip
    judged = [
        {"workload": "w", "lineage": f"l{place:02}", "kind": "", "comparability": "comparable",
         "short": False, "parity": "parity" if way else "below_parity" if ended else "pending"}
        for place, (_, way, ended) in enumerate(drawn)
    ]  # fmt: skip
    ways = [
        {"workload": "w", "lineage": f"l{place:02}", "work_to_target": way}
        for place, (_, way, _) in enumerate(drawn)
    ]
    caps = [
        {"date": DAY_ONE + timedelta(days=n), "workload": "w", "cap": 5 + D(n) / 2}
        for n in range(5)
    ]
    return {
        "unit_daily": table(DAYS, *days), "verdicts": table(VERDICTS, *judged),
        "reached": table(REACHED, *ways), "baselines": table(MARTS["baselines"], *caps),
    }  # fmt: skip


@pytest.fixture(scope="module")
def credited(given: dict[str, Any]) -> dict[tuple[str, date], Decimal]:
    nothing = table(CONFIG["config_workloads"])
    made = applied(credited_daily, *given.values(), nothing)
    rows = made.to_pyarrow().to_pylist()
    return {(row["lineage"], row["date"]): row["credited_epochs"] for row in rows}


def test_every_day_is_what_sql_by_hand_makes_of_it(
    given: dict[str, Any], credited: dict[tuple[str, date], Decimal]
) -> None:
    with duckdb.connect() as con:
        for name, rows in given.items():
            con.register(name, rows.to_pyarrow())
        due = {(line, day): amount for line, day, amount in con.execute(TRUTH).fetchall()}
    assert credited.keys() == due.keys()
    assert all(abs(float(credited[key]) - due[key]) < 1e-8 for key in due)


def test_one_result_earns_what_it_takes_on_gpu_and_a_run_without_one_at_most_that(
    drawn: list[tuple[list[Decimal], Decimal | None, bool]],
    credited: dict[tuple[str, date], Decimal],
) -> None:
    """By the cap of its days: 5 to 7 epochs. Training on after the target earns nothing."""
    totals = {f"l{place:02}": D(0) for place in range(len(drawn))}
    for (lineage, _), epochs in credited.items():
        totals[lineage] += epochs
        assert epochs >= 0
    results = {f"l{p:02}" for p, (_, way, _) in enumerate(drawn) if way}
    missed = {f"l{p:02}" for p, (_, way, ended) in enumerate(drawn) if not way and ended}
    assert min(map(len, (results, missed))) > 2
    assert all(5 - D("1e-6") <= totals[name] <= 7 for name in results)
    assert all(totals[name] == 0 for name in missed)
    assert all(total <= 7 for total in totals.values())
