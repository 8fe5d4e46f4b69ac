"""METHOD §3.6, §4.2: which work of a lineage's day is Trainium's, and what of it is credited."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from models.contract.schema import MARTS, MONEY, NUMBER
from models.marts.savings.credited_epochs import credited_daily
from tests.support.marts.compiled_once import applied
from tests.support.marts.hand_written_tables import rows, table

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
WORKLOADS = {"workload": "string", "require_verified": "boolean"}
W = {"workload": "w"}
GPU, PORT = {"hardware": "gpu"}, {"in_lineage": False}
D, Row = Decimal, dict[str, Any]


def did(day: int, epochs: object, cost: object = 10, **more: object) -> Row:
    """A day of a Trainium run."""
    usual = {
        "date": date(2026, 9, day), "lineage": "a", "kind": "", "unit": "epoch", "main": True,
        "settled": True, "hardware": "trainium", "in_lineage": True, "active": True,
        "cost": cost, "list_cost": 20, "epochs": epochs, "unbilled_epochs": 0,
    }  # fmt: skip
    return W | usual | more


def credited(
    *names: str, days: list[Row], cap: object = None, way: object = None, strict: bool = False,
    **verdict: object,
) -> list[tuple[Any, ...]]:  # fmt: skip
    """Day of September with the columns `names`."""
    lineages = {day["lineage"] for day in days}
    usual = {"kind": "", "comparability": "comparable", "parity": "parity", "short": False}
    made = applied(
        credited_daily,
        table(DAYS, *days),
        table(VERDICTS, *(W | {"lineage": name} | usual | verdict for name in lineages)),
        table(REACHED, *(W | {"lineage": name, "work_to_target": way} for name in lineages)),
        table(
            MARTS["baselines"], *(W | {"date": d, "cap": cap} for d in {d["date"] for d in days})
        ),
        table(WORKLOADS, W | {"require_verified": strict}),
    )
    return [(day.day, *others) for day, *others in rows(made, "date", *names)]


def test_cost_and_work_are_of_runs_on_trainium_that_the_lineage_counts() -> None:
    days = [
        did(1, 1, **GPU),
        did(2, 2, 20),
        did(2, 3, 30, active=False),
        did(2, 4, 40, **GPU),
        did(2, 5, 50, **PORT),
        did(3, 6, active=False),
        did(3, 7, **GPU),
        did(4, 8, None),
        did(4, 8, **GPU),
        did(5, 8, **GPU, cost=None),
        did(5, 8),
    ]
    names = ("cost", "list_cost", "epochs", "active", "credited_epochs")
    assert credited(*names, days=days) == [
        (2, 50, 40, 5, True, 5),
        (3, 10, 20, 6, False, 6),
        (4, None, 20, 8, True, 8),
        (5, 10, 20, 8, True, 8),
    ]


def test_a_lineage_is_counted_in_the_unit_where_its_runs_on_trainium_are() -> None:
    days = [
        did(1, 1, counted_in_unit=True),
        did(1, 1, **GPU, counted_in_unit=False),
        did(2, 1, counted_in_unit=False),
        did(2, 1, **GPU, counted_in_unit=True),
    ]
    assert credited("counted_in_unit", days=days) == [(1, True), (2, False)]


def test_work_elsewhere_comes_first_of_what_a_result_is_worth() -> None:
    """Of a cap of eight: three on GPU, and two of a port before the four of Trainium."""
    days = [did(1, 3, **GPU), did(2, 4), did(2, 2, **PORT), did(3, 9)]
    assert credited("credited_epochs", days=days, cap=8) == [(2, 3), (3, 0)]
    # the target was reached with ten: each is worth eight tenths
    assert credited("credited_epochs", days=days, cap=8, way=10) == [(2, D("3.2")), (3, D("0.8"))]
    assert credited("credited_epochs", days=days, way=10) == [(2, 4), (3, 1)]


def test_work_of_unknown_purpose_or_on_no_bill_is_withheld_after_what_is_credited() -> None:
    names = ("epochs", "credited_epochs", "withheld_epochs", "misplaced")
    days = [
        did(1, 2),
        did(1, 3, misplaced="unknown_purpose"),
        did(2, 0, hardware=None, unbilled_epochs=4),
        did(3, 5, **GPU, misplaced="unknown_purpose"),
        did(3, 1),
    ]
    assert credited(*names, days=days) == [
        (1, 5, 2, 3, "unknown_purpose"),
        (2, 0, 0, 4, "no_accelerator_hours"),
        (3, 1, 1, 0, None),
    ]
    capped = credited("credited_epochs", "withheld_epochs", days=days, cap=4)
    assert capped == [(1, 1, 3), (2, 0, 0), (3, 0, 0)]


@pytest.mark.parametrize(
    ("verdict", "strict", "standing", "earned"),
    [
        ({}, True, "counted", 2),
        ({"parity": "pending"}, True, "counted", 2),
        ({"parity": "below_parity"}, True, "counted", 0),
        ({"parity": "unverified"}, False, "counted", 2),
        ({"parity": "unverified"}, True, "require_verified", 2),
        ({"comparability": "recipe differs", "parity": "unverified"}, True, "not_comparable", 0),
        ({"comparability": "recipe differs", "parity": None}, False, "not_comparable", 0),
    ],
)
def test_a_lineage_earns_unless_it_does_not_compare_or_is_below_parity(
    verdict: Row, strict: bool, standing: str, earned: int
) -> None:
    days = [did(1, 2), did(1, 3, misplaced="unknown_purpose")]
    found = credited("standing", "credited_epochs", "withheld_epochs", days=days, strict=strict,
                     **verdict)  # fmt: skip
    assert found == [(1, standing, earned, 3 if earned else 0)]
