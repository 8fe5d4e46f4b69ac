"""METHOD §2.5: what an hour under a commitment cost is unknown where the cost of one is."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from flask import Flask

from dashboard.pages.decide.buying.queries import MACHINE_USE
from dashboard.snapshot.context import attach_data
from dashboard.snapshot.rows import read_rows
from models.config.loading import validated_settings
from tests.support.dashboard import world
from tests.support.dashboard.days import Row

MACHINE = {"instance_type": "p4d.24xlarge", "region": "us-east-1"}


def charge(cost: str | None, option: str = "committed") -> Row:
    """Two instance-hours of the workload's run on the last settled day."""
    known = {
        "date": world.SETTLED, "billing_period": f"{world.SETTLED:%Y-%m}", "settled": True,
        "workload": "w", "run": "g", "platform": "p4d", "hardware": "gpu",
        "component": "accelerator", "attribution": "direct", "purchase_option": option,
        "instance_hours": Decimal(2), "accelerator_hours": Decimal(16), "unpriced": cost is None,
        "effective_cost": None if cost is None else Decimal(cost),
    }  # fmt: skip
    return known | MACHINE


@pytest.mark.parametrize(
    ("charges", "paid"),
    [
        ([charge("20"), charge("50", "on_demand")], Decimal(10)),
        ([charge("20"), charge(None, "on_demand")], Decimal(10)),
        ([charge("20"), charge(None)], None),
        ([charge("50", "on_demand")], None),
    ],
)
def test_an_hour_under_a_commitment(
    tmp_path: Path, charges: list[Row], paid: Decimal | None
) -> None:
    """$20 for 2 hours are $10 an hour; with 2 more hours of unknown cost they are not $5."""

    def edit(tables: dict[str, list[Row]]) -> None:
        day = {"date": world.SETTLED, "workload": "w", "settled": True}
        tables |= {"spend_daily": charges, "savings_daily": [day]}

    world.publish(tmp_path, (), edit=edit)
    app = Flask("paid")
    settings = validated_settings({"warehouse": {"path": str(tmp_path / "w")}}, home=tmp_path)
    attach_data(app, settings)
    with app.app_context():
        (use,) = read_rows(MACHINE_USE, workload="w", **MACHINE)
    assert use["paid"] == paid
