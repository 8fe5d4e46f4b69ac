"""What pages ask of all rows of a bill, summed beforehand."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal

from models.contract import schema
from models.contract.schema import expanded
from models.marts.cost.accelerator_days import accelerator_days
from models.marts.cost.counted_runs import counted_runs
from models.marts.cost.run_parts import run_parts
from tests.support.hand_written_tables import rows, table

TRN1 = "trn1.32xlarge"
SPEND = expanded(schema.MARTS["spend_daily"], ())
RUNS = expanded(schema.MARTS["runs"], ())
WORK = {"workload": "string", "run": "string", "epochs": schema.NUMBER, "settled": "boolean"}
SETTLED = {"workload": "string", "settled_through": "date"}
EAST, WEST = "us-east-1", "us-west-2"
ON = date(2026, 9, 1)


def spent(hours: object, cost: object, **said: object) -> Mapping[str, object]:
    """Dollars of a run's accelerators on every basis."""
    costs = dict.fromkeys(schema.COST_COLUMNS, None if cost is None else Decimal(str(cost)))
    usual = {
        "date": ON, "workload": "w", "run": "a", "region": EAST, "purchase_option": "on_demand",
        "instance_type": TRN1, "component": "accelerator", "attribution": "direct",
        "platform": "trn1", "settled": True, "unpriced": False,
        "accelerator_hours": None if hours is None else Decimal(str(hours)),
    }  # fmt: skip
    return {**usual, **costs, **said}


def test_accelerators_and_idle_commitment_are_summed_without_their_owners() -> None:
    other = {"instance_type": None, "platform": None, "component": "other"}
    bill = table(
        SPEND,
        spent("0.5", 10),
        spent("0.25", 6, run="b", contracted_cost=None),
        spent(4, 5, list_cost=None),
        spent(-4, -5),
        spent(0, 1, run="c"),
        spent(16, 7, run=None, attribution="untagged"),
        spent(None, 20, run=None, attribution="idle_commitment", **other),
        spent(None, 40, component="storage"),
        spent(None, 80, **other),
    )
    found = accelerator_days(bill)
    names = ("attribution", "component", "worked", "listed", "accelerator_hours")
    assert rows(found, *names, "effective_cost", "contracted_cost") == [
        ("direct", "accelerator", False, True, -4, -4, -4),
        ("direct", "accelerator", True, False, 4, 5, 5),
        ("direct", "accelerator", True, True, Decimal("0.75"), 16, None),
        ("idle_commitment", "other", False, True, None, 20, 20),
        ("untagged", "accelerator", True, True, 16, 7, 7),
    ]


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


def test_a_runs_parts_share_its_epochs_by_accelerator_hours() -> None:
    """`a`: 30 and 10 hours of 10 epochs, storage without any, and what is not of its days."""
    storage = {"instance_type": None, "component": "storage"}
    bill = table(
        SPEND,
        spent(20, 200),
        spent(10, 100, contracted_cost=None),
        spent(10, 50, region=WEST, purchase_option="spot", date=date(2026, 9, 3)),
        spent(None, 5, **storage),
        spent(7, 70, date=date(2026, 9, 4)),
        spent(7, 70, settled=False),
        spent(7, 70, run=None, attribution="overhead"),
        spent("0.4", 4, run="brief"),
        spent("0.1", 1, run="brief", purchase_option="spot"),
        spent(5, 50, run="undone"),
        spent(-5, -50, run="undone", region=WEST),
        spent(3, 30, workload="unsaid"),
    )
    made = [("w", "a", 6), ("w", "a", 4), ("w", "brief", 1), ("w", "undone", 2), ("w", "free", 4)]
    work = [
        {"workload": workload, "run": run, "epochs": Decimal(epochs), "settled": epochs < 100}
        for workload, run, epochs in (*made, ("w", "a", 100), ("unsaid", "a", 6))
    ]
    through = [
        {"workload": workload, "settled_through": date(2026, 9, day)}
        for workload, day in (("w", 3), ("unsaid", 4))
    ]
    parts = run_parts(bill, table(WORK, *work), table(SETTLED, *through))
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
    parts = run_parts(
        table(SPEND, *reversed(bill)),
        table(
            WORK, *({"workload": "w", "run": run, "epochs": 5, "settled": True} for run in pairs)
        ),
        table(SETTLED, {"workload": "w", "settled_through": date(2026, 9, 30)}),
    )
    found = rows(parts, "run", "effective_cost", "epochs")
    assert found == [row for run in sorted(pairs) for row in ((run, 1, 5), (run, 2, 0))]
