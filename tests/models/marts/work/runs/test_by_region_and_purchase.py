"""What each run was charged, by where and how it was bought."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from models.contract import schema
from models.marts.work.runs.by_region_and_purchase import run_parts
from tests.support.marts.hand_written_tables import rows, table
from tests.support.marts.spend_rows import EAST, ON, SPEND, TRN1, WEST, spent

WORK = {
    "date": "date", "workload": "string", "run": "string", "epochs": schema.NUMBER,
    "settled": "boolean",
}  # fmt: skip


def test_a_runs_parts_share_its_epochs_by_accelerator_hours() -> None:
    """`a`: 30 and 10 hours of 10 epochs, storage without any, and what is not of settled days.

    The bill of 2 September is settled, but not that day of the workload.
    """
    storage = {"instance_type": None, "component": "storage"}
    bill = table(
        SPEND,
        spent(20, 200),
        spent(10, 100, contracted_cost=None),
        spent(10, 50, region=WEST, purchase_option="spot", date=date(2026, 9, 3)),
        spent(None, 5, **storage),
        spent(7, 70, date=date(2026, 9, 4)),
        spent(7, 70, date=date(2026, 9, 2)),
        spent(7, 70, run=None, attribution="overhead"),
        spent("0.4", 4, run="brief"),
        spent("0.1", 1, run="brief", purchase_option="spot"),
        spent(5, 50, run="undone"),
        spent(-5, -50, run="undone", region=WEST),
        spent(3, 30, workload="unsaid"),
    )
    made = [
        ("w", "a", 1, 6), ("w", "a", 3, 4), ("w", "brief", 1, 1), ("w", "undone", 1, 2),
        ("w", "free", 1, 4), ("w", "a", 2, 100), ("w", "a", 4, 100), ("unsaid", "a", 1, 6),
    ]  # fmt: skip
    work = [
        {"date": date(2026, 9, day), "workload": workload, "run": run, "epochs": Decimal(epochs),
         "settled": epochs < 100}
        for workload, run, day, epochs in made
    ]  # fmt: skip
    parts = run_parts(bill, table(WORK, *work))
    names = ("workload", "run", "region", "purchase_option", "epochs", "accelerator_hours")
    assert rows(parts, *names, "effective_cost", "contracted_cost", "charged") == [
        ("unsaid", "a", EAST, "on_demand", 6, 3, 30, 30, True),
        ("w", "a", EAST, "on_demand", 0, None, 5, 5, True),
        ("w", "a", EAST, "on_demand", Decimal("7.5"), 30, 300, None, True),
        ("w", "a", WEST, "spot", Decimal("2.5"), 10, 50, 50, True),
        ("w", "brief", EAST, "on_demand", Decimal("0.8"), Decimal("0.4"), 4, 4, True),
        ("w", "brief", EAST, "spot", Decimal("0.2"), Decimal("0.1"), 1, 1, True),
        ("w", "free", None, None, 4, None, None, None, False),
        ("w", "undone", EAST, "on_demand", 2, 5, 50, 50, True),
        ("w", "undone", WEST, "on_demand", 0, -5, -50, -50, True),
    ]


def test_a_run_without_accelerator_hours_has_its_epochs_where_its_name_comes_first() -> None:
    """Region, then how it was bought, the type, the account; a name is before none."""
    pairs = {
        "region": ((EAST, "spot", "u", "2"), (WEST, "on_demand", TRN1, "1")),
        "option": ((EAST, "on_demand", "u", "2"), (EAST, "spot", TRN1, "1")),
        "type": ((EAST, "on_demand", TRN1, "2"), (EAST, "on_demand", "u", "1")),
        "account": ((EAST, "on_demand", TRN1, "1"), (EAST, "on_demand", TRN1, "2")),
        "named": ((WEST, "spot", "u", "2"), (None, "on_demand", TRN1, "1")),
    }
    names = ("region", "purchase_option", "instance_type", "account")
    bill = [
        spent(None, place, run=run, component="storage", **dict(zip(names, said, strict=True)))
        for run, pair in pairs.items()
        for place, said in enumerate(pair, 1)
    ]
    ran = {"date": ON, "workload": "w", "epochs": 5, "settled": True}
    parts = run_parts(
        table(SPEND, *reversed(bill)),
        table(WORK, *(ran | {"run": run} for run in pairs)),
    )
    found = rows(parts, "run", "effective_cost", "epochs")
    assert found == [row for run in sorted(pairs) for row in ((run, 1, 5), (run, 2, 0))]
