"""METHOD §6: what a forecast is drawn from, day by day and run by run."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import ibis.expr.types as ir

from models.contract.schema import MONEY, NUMBER, PORTFOLIO
from models.marts.savings.forecast_samples.forecast_days import forecast_days
from models.marts.savings.forecast_samples.forecast_runs import forecast_runs
from tests.support.marts.mart_inputs import table

D = Decimal
FLOWS = {
    "date": "date", "workload": "string", "settled": "boolean", "epochs": NUMBER,
    "credited_epochs": NUMBER, "trn_cost": MONEY, "overhead": MONEY, "net_saving": MONEY,
    "counterfactual": MONEY,
}  # fmt: skip
TRN = {
    "date": "date", "workload": "string", "lineage": "string", "settled": "boolean",
    "standing": "string", "kind": "string", "cost": MONEY, "epochs": NUMBER,
    "credited_epochs": NUMBER,
}  # fmt: skip
VALUES = {"date": "date", "workload": "string", "value": MONEY, "recipe": "string",
          "main": "boolean", "platform": "string"}  # fmt: skip


def day(number: int, month: int = 9) -> date:
    return date(2025, month, number)


def rows(found: ir.Table) -> list[tuple[Any, ...]]:
    return sorted(tuple(row.values()) for row in found.to_pyarrow().to_pylist())


def test_days_are_at_the_last_settled_days_baseline_and_the_portfolio_has_the_rest() -> None:
    """$80 on the 3rd, $30 of two other recipes; nothing unsettled or from before the cutover.

    The rest is what names no workload, $2 on the 2nd, and what harbor, which has not moved, spent.
    """
    own = [
        (day(1), "atlas", True, 0, 0, 0, 0, 0),
        (day(2), "atlas", True, 1, 1, 30, 5, 65),
        (day(3), "atlas", True, 2, 2, 30, 1, 129),
        (day(4), "atlas", False, 5, 5, 9, 0, None),
        (day(2), "harbor", True, 0, 0, 0, 7, -7),
        (day(2), "idle", True, 0, 0, 0, 0, 0),
    ]
    whole = [
        (day(1), PORTFOLIO, True, 0, 0, 0, 3, -3),
        (day(2), PORTFOLIO, True, 1, 1, 30, 14, 56),
        (day(3), PORTFOLIO, True, 2, 2, 30, 1, 129),
        (day(5), PORTFOLIO, True, 0, 0, 0, 4, -4),
        (day(6), PORTFOLIO, False, 0, 0, 0, 8, -8),
    ]
    worked = [
        (day(2), "atlas", "t1", True, "counted", "", 30, 1, 1),
        (day(3), "atlas", "t1", True, "counted", "", 20, 1, 1),
        (day(2), "atlas", "t2", True, "counted", ""),
        (day(3), "atlas", "qlora", True, "counted", "qlora", 10, D("0.6"), D("0.6")),
        (day(3), "atlas", "dpo", True, "counted", "dpo", 0, D("0.4"), D("0.4")),
        (day(3), "atlas", "other", True, "not_comparable", ""),
        (day(3), "atlas", "late", False, "counted", ""),
    ]
    values = [(day(n), "atlas", 140 - 20 * n, None, True, "p4d") for n in (1, 2, 3, 4)]
    values += [(day(2), "idle", 10, None, True, "p4d")]
    kinds = ("qlora", "dpo")
    values += [(day(n), "atlas", 10 * n, kind, False, "p4d") for n in (1, 2, 3) for kind in kinds]
    state = [("atlas", day(2)), ("harbor", None), ("idle", day(2))]
    found = forecast_days(
        table(FLOWS, [(*row, 0) for row in (*own, *whole)]),
        table(VALUES, values),
        table({"workload": "string", "cutover": "date"}, state),
        table(TRN, worked),
    )
    assert rows(found) == [
        (day(2), PORTFOLIO, 0, -9, 0),
        (day(2), "atlas", 80, 45, 2),
        (day(2), "idle", 0, 0, 0),
        (day(3), PORTFOLIO, 0, 0, 0),
        (day(3), "atlas", 80 + 30, 110 - 31, 2),
        (day(5), PORTFOLIO, 0, -4, 0),
    ]


def test_a_day_is_unknown_whose_kind_has_no_baseline_today_and_one_that_had_none_is_left_out() -> (
    None
):
    """`lora` had a baseline on the 2nd only; `dpo` had none on the 3rd: its cost is left out."""
    flows = [
        (day(2), True, 2, 2, 30, 0, 170, 200),
        (day(3), True, 1, 1, 10, 0, 90, 100),
        (day(4), True, 0, 0, 0, 0, 0, 0),
    ]
    worked = [
        (day(2), "atlas", "t", True, "counted", "", 20, 1, 1),
        (day(2), "atlas", "l", True, "counted", "lora", 10, 1, 1),
        (day(3), "atlas", "t", True, "counted", "", 10, 1, 1),
        (day(3), "atlas", "d", True, "counted", "dpo", 10, 1, 1),
    ]
    values = [(day(n), "atlas", 100, None, True, "p4d") for n in (2, 3, 4)]
    values += [(day(n), "atlas", 100 if n == 2 else None, "lora", False, "p4d") for n in (2, 3, 4)]
    values += [(day(n), "atlas", 50 if n == 4 else None, "dpo", False, "p4d") for n in (2, 3, 4)]
    found = forecast_days(
        table(FLOWS, [(date, "atlas", *rest) for date, *rest in flows]),
        table(VALUES, values),
        table({"workload": "string", "cutover": "date"}, [("atlas", day(2))]),
        table(TRN, worked),
    )
    assert [row[2:4] for row in rows(found)] == [(None, None), (100, 90), (0, 0)]


def test_runs_are_those_of_any_window_so_far_and_gpu_hours_stand_at_todays_price() -> None:
    """g1: 10 h at half of $20 instead of $30, 4 h on Spot at $12 instead of $10: −$50 and +$8.

    g2 has 10 h on Spot at $12 instead of $10, and 10 h in a region without a price, which stay.
    `dear` ran on another platform, which is not the baseline.
    """
    line = {"workload": "string", "lineage": "string"}
    members: list[tuple[Any, ...]] = [
        ("atlas", "g1", day(1, 6), True), ("atlas", "g2", day(1, 6), True),
        ("atlas", "g2", day(1, 7), True), ("atlas", "g3", day(1, 7), True),
        ("atlas", "failed", day(1, 7), False),
        ("atlas", "g3", day(5, 11), True), ("atlas", "g4", day(5, 11), True),
        ("harbor", "h1", day(20, 10), True), ("atlas", "q", day(1, 6), True, "qlora", 8, ""),
        ("atlas", "dear", day(1, 7), True, "", 2, "p3"),
    ]  # fmt: skip
    lineages = ("g1", "g2", "g3", "g4", "failed")
    facts = [("atlas", name, 100 * place) for place, name in enumerate(lineages, 1)]
    place = {"instance_type": "string", "region": "string", "series": "string"}
    hours = {"instance_hours": NUMBER, "reference_cost": MONEY, "effective_cost": MONEY}
    used = [
        ("atlas", "g1", "p4d", "east", "on_demand", 10, 300, 150),
        ("atlas", "g1", "p4d", "east", "spot", 4, 40, 40),
        ("atlas", "g2", "p4d", "east", "spot", 10, 100, 100),
        ("atlas", "g2", "p4d", "west", "on_demand", 10, 300, 150),
        ("atlas", "g3", "p4d", "east", "spot", 10, 0, 100),
        ("harbor", "h1", "p5", "east", "on_demand", 1, 1, 1),
    ]
    prices = [
        ("p4d", "east", "on_demand", day(1, 1), day(28, 10), 25),
        ("p4d", "east", "on_demand", day(28, 10), None, 20),
        ("p4d", "east", "spot", day(1, 1), day(29, 10), 12),
        ("p4d", "east", "spot", day(29, 10), None, 99),
        ("p5", "east", "on_demand", day(1, 1), None, D("33.33333377")),
    ]
    worked = [
        (day(1), "atlas", "t1", True, "counted", "", 10, 1, 1),
        (day(2), "atlas", "t1", True, "counted", "", 20, 2, 1),
        (day(3), "atlas", "t1", False, "counted", "", 99, 1, 1),
        (day(1), "atlas", "other", True, "not_comparable", "", 10, 1, 1),
        (day(1), "atlas", "t2", True, "counted", "", None, 1, 1),
        (day(2), "atlas", "t2", True, "counted", "", 10, 1, 1),
        (day(1), "atlas", "t3", True, "counted", "", 10, 1, 1),
        (day(8), "atlas", "t3", True, "counted", "", 10, 1, 1),
    ]
    found = forecast_runs(
        table(
            line
            | {"since": "date", "qualifies": "boolean", "kind": "string", "work": NUMBER}
            | {"candidate": "string"},
            [
                row if len(row) > 4 else (*row, "", 1 if row[1] == "h1" else 2, "p4d")
                for row in members
            ],
        ),
        table(
            line | {"cost": MONEY},
            [*facts, ("harbor", "h1", 50), ("atlas", "q", 60)],
        ),
        table(line | place | hours, used),
        table(place | {"since": "date", "until": "date", "usd_per_hour": MONEY}, prices),
        table(TRN, worked),
        table(
            VALUES,
            [
                (day(1), "atlas", 100, None, True, "p3"),
                (day(2), "atlas", 90, None, True, "p4d"),
                (day(28, 10), "atlas", 80, None, True, "p4d"),
                (day(1), "atlas", 10, "qlora", False, None),
                (day(28, 10), "atlas", 20, "qlora", False, None),
                (day(20, 10), "harbor", 1, None, True, "p4d"),
            ],
        ),
        table(
            {"workload": "string", "settled_through": "date"},
            [("atlas", day(28, 10)), ("harbor", day(20, 10))],
        ),
    )
    sides = {row[2]: row[:2] + row[3:] for row in rows(found)}
    assert sides == {
        "g1": ("atlas", "gpu", 58, 2, 0, False, True),
        "g2": ("atlas", "gpu", 220, 2, 0, True, True),
        "g3": ("atlas", "gpu", 300, 2, 0, True, True),
        "q": (
            "atlas",
            "gpu",
            60,
            2,
            0,
            True,
            False,
        ),  # 8 epochs at a quarter of the main kind's price
        "h1": ("harbor", "gpu", D("82.333334"), 1, 0, True, True),
        "t1": ("atlas", "trainium", 30, 3, 190, False, True),
        "t2": ("atlas", "trainium", None, 2, 190, False, True),
        "t3": ("atlas", "trainium", 10, 1, 100, False, True),
    }
