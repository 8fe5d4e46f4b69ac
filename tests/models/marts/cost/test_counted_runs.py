"""Which runs figures per unit may count."""

from __future__ import annotations

from decimal import Decimal

from models.contract import schema
from models.contract.schema import expanded
from models.marts.cost.counted_runs import counted_runs
from tests.support.marts.hand_written_tables import rows, table

RUNS = expanded(schema.MARTS["runs"], ())
DAYS = {"workload": "string", "run": "string", "own": "boolean", "counted_in_unit": "boolean"}


def test_runs_count_whose_lineage_has_hours_at_a_known_cost() -> None:
    told = [
        ("w", "half", "l1", 10, 16, []),
        ("w", "blind", "l1", None, 8, []),  # so its lineage is of unknown cost
        ("w", "good", "l2", 10, 16, None),
        ("x", "alike", "l1", 10, 16, []),
        ("w", "free", "l3", None, 0, []),
        ("w", "heir", "l3", 7, 5, []),
        ("w", "brief", "l4", None, "0.5", []),
        ("w", "bare", "l5", None, 0, ["no_progress", "no_accelerator_hours"]),
    ]
    known = [
        {"workload": workload, "run": run, "lineage": lineage, "flags": flags,
         "cost": cost and Decimal(cost), "accelerator_hours": Decimal(str(hours))}
        for workload, run, lineage, cost, hours, flags in told
    ]  # fmt: skip
    found = rows(counted_runs(table(RUNS, *known), table(DAYS)), "run")
    assert [run for (run,) in found] == ["alike", "free", "good", "heir"]


def test_a_run_whose_work_its_unit_does_not_count_is_left_out_unless_it_is_a_side_run() -> None:
    names = ("counted", "other work", "port", "unseen")
    known = [
        {"workload": "w", "run": run, "lineage": run, "cost": Decimal(1), "flags": []}
        for run in names
    ]
    days = [
        {"workload": "w", "run": run, "own": run != "port", "counted_in_unit": run == "counted"}
        for run in names[:3]
        for _ in range(2)
    ] + [{"workload": "x", "run": "unseen", "own": True, "counted_in_unit": False}]
    found = rows(counted_runs(table(RUNS, *known), table(DAYS, *days)), "run")
    assert [run for (run,) in found] == ["counted", "port", "unseen"]
