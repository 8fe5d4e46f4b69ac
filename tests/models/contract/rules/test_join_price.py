"""METHOD §2.5: a price holds from its first day until the next one's, that day excluded."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from models.contract.rules.join_price import with_price
from tests.support.marts.hand_written_tables import rows, table

PRICES = {
    "instance_type": "string", "region": "string", "series": "string", "since": "date",
    "until": "date", "usd_per_hour": "decimal(18, 9)",
}  # fmt: skip
OF = {"instance_type": "p4d.24xlarge", "region": "us-east-1", "series": "on_demand"}
STEPS = (
    OF | {"since": date(2025, 1, 1), "until": date(2025, 6, 1), "usd_per_hour": Decimal(33)},
    OF | {"since": date(2025, 6, 1), "until": None, "usd_per_hour": Decimal(22)},
)


@pytest.mark.parametrize(
    ("day", "other", "price"),
    [
        (date(2024, 12, 31), {}, None),
        (date(2025, 1, 1), {}, 33),
        (date(2025, 5, 31), {}, 33),
        (date(2025, 6, 1), {}, 22),
        (date(2030, 1, 1), {}, 22),
        (date(2025, 6, 1), {"series": "spot"}, None),
        (date(2025, 6, 1), {"region": "us-west-2"}, None),
        (date(2025, 6, 1), {"instance_type": "p5.48xlarge"}, None),
    ],
)
def test_the_step_of_the_day_is_found_or_none(
    day: date, other: dict[str, str], price: int | None
) -> None:
    used = table(
        {"instance_type": "string", "region": "string", "series": "string", "day": "date"},
        OF | {"day": day} | other,
    )
    assert rows(with_price(used, table(PRICES, *STEPS), on="day"), "usd_per_hour") == [(price,)]
