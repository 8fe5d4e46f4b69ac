"""A public price holds until the next one; of a Spot series, 45 days after it was last seen."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from models.contract import schema
from models.marts.cost.prices.price_steps import price_steps
from tests.support.marts.hand_written_tables import rows, table

STEP = ("since", "until", "stale_from", "usd_per_hour")
MARCH, MAY, JUNE = date(2026, 3, 1), date(2026, 5, 1), date(2026, 6, 1)
"""Of March to 15 April; seen in May, for June to 16 July."""


@pytest.mark.parametrize(
    ("option", "steps"),
    [
        ("spot", [(MARCH, date(2026, 4, 15), None, 8), (JUNE, date(2026, 7, 16), None, 6)]),
        ("on_demand", [(MARCH, JUNE, date(2026, 4, 15), 8), (JUNE, None, date(2026, 7, 16), 6)]),
    ],
)
def test_a_price_announced_for_a_later_day_keeps_no_earlier_one_alive(
    option: str, steps: list[tuple[object, ...]]
) -> None:
    told = [
        {"observed_on": seen, "effective_from": since, "usd_per_hour": Decimal(rate)}
        | {"purchase_option": option, "instance_type": "trn1.32xlarge", "region": "us-east-1"}
        for seen, since, rate in ((MARCH, MARCH, 8), (MAY, JUNE, 6))
    ]
    made = price_steps(table(schema.PRICES, *told), table(schema.CAPACITY))
    assert rows(made, *STEP) == steps
