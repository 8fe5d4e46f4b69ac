"""METHOD §2.5, §2.10: what a pool stood idle for and who held it, where a cost is unknown."""

from __future__ import annotations

from datetime import date

from models.config.settings import Settings
from models.contract.schema import MONEY, NUMBER
from models.marts.cost.pools.pools import pools
from tests.support.marts.compiled_once import applied
from tests.support.marts.hand_written_tables import rows, table

DAYS = {
    **dict.fromkeys(("cluster", "instance_type", "platform", "hardware", "holding"), "string"),
    **dict.fromkeys(("workload", "purchase_option", "component"), "string"),
    "date": "date", "accelerator_hours": NUMBER, "effective_cost": MONEY, "billed_cost": MONEY,
    "unpriced": "boolean", "settled": "boolean", "delivered": "boolean",
}  # fmt: skip
PART = {
    "date": date(2026, 9, 1), "cluster": "hpc", "instance_type": "trn1", "accelerator_hours": 8,
    "unpriced": False,
    "settled": True, "delivered": True, "component": "accelerator",
}  # fmt: skip


def test_a_reason_or_an_owner_of_unknown_cost_is_named_and_its_dollars_are_unknown() -> None:
    held = PART | {"holding": "held"}
    days = [
        PART | {"holding": "idle", "effective_cost": 1},
        PART | {"holding": "idle", "unpriced": True},
        PART | {"holding": "down", "effective_cost": 2},
        held | {"workload": "a", "effective_cost": 4},
        held | {"workload": "b", "unpriced": True},
    ]
    made = applied(pools, table(DAYS, *days), Settings())
    ((idle, owners, cost),) = rows(made, "idle_by_reason", "owners", "idle_cost")
    assert (dict(idle), dict(owners), cost) == (
        {"down": 2, "idle": None},
        {"a": 4, "b": None},
        None,
    )


def test_machines_of_a_day_without_allocations_are_undelivered_and_not_idle() -> None:
    """A scheduler that no longer tells is no idle machine (METHOD §1)."""
    days = [
        PART | {"holding": "idle", "effective_cost": 1},
        PART | {"holding": "idle", "effective_cost": 5, "delivered": False, "settled": False},
    ]
    made = applied(pools, table(DAYS, *days), Settings())
    names = ("accelerator_hours", "idle_hours", "undelivered_hours", "idle_cost")
    ((idle, undelivered, *figures),) = rows(made, "idle_by_reason", "undelivered_cost", *names)
    assert (dict(idle), undelivered) == ({"idle": 1}, 5)
    assert figures == [16, 8, 8, 1]
