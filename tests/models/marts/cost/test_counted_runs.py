"""Which runs figures per unit may count."""

from __future__ import annotations

from decimal import Decimal

from models.contract import schema
from models.contract.schema import expanded
from models.marts.cost.counted_runs import counted_runs
from tests.support.marts.hand_written_tables import rows, table

RUNS = expanded(schema.MARTS["runs"], ())


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
    found = rows(counted_runs(table(RUNS, *known)), "run")
    assert [run for (run,) in found] == ["alike", "free", "good", "heir"]
