"""What cannot be known of a day's cost: hours without a price, and prepaid hours as billed."""

from __future__ import annotations

import pytest

from models.contract.rules.known_cost import known_cost
from tests.support.marts.hand_written_tables import table

COLUMNS = {
    "unpriced": "boolean", "purchase_option": "string", "component": "string",
    "billed_cost": "decimal(38, 9)", "effective_cost": "decimal(38, 9)",
}  # fmt: skip
HOUR = {"unpriced": False, "purchase_option": "on_demand", "component": "accelerator",
        "billed_cost": 10, "effective_cost": 10}  # fmt: skip


@pytest.mark.parametrize(
    ("row", "effective", "billed"),
    [
        ({}, 10, 10),
        ({"unpriced": True}, None, None),
        ({"billed_cost": 0}, 10, None),
        ({"purchase_option": "capacity_block"}, 10, None),
        ({"purchase_option": "capacity_block", "component": "storage"}, 10, 10),
        ({"billed_cost": 0, "effective_cost": 0}, 0, 0),
    ],
)
def test_prepaid_hours_have_no_billed_cost_of_their_own(
    row: dict[str, object], effective: int | None, billed: int | None
) -> None:
    given = table(COLUMNS, HOUR | row)
    found = given.select(
        effective=known_cost(given, "effective"), billed=known_cost(given, "billed")
    )
    assert found.to_pyarrow().to_pylist() == [{"effective": effective, "billed": billed}]
