"""Rows of `spend_daily`, for tests of what is summed from it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal

from models.contract import schema
from models.contract.schema import expanded

TRN1 = "trn1.32xlarge"
SPEND = expanded(schema.MARTS["spend_daily"], ())
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
