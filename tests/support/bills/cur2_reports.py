"""A small company billed twice: the same month as FOCUS and as CUR 2.0 would write it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from tests.support.world import ACCOUNT, LIST, World

PLAN = f"arn:aws:savingsplans::{ACCOUNT}:savingsplan/5b1d6c52"
RESERVED = f"arn:aws:ec2:us-east-1:{ACCOUNT}:reserved-instances/4a7b"


def reported(
    day: str, kind: str, cost: object, net: object = "", **columns: object
) -> dict[str, Any]:
    """One line of CUR 2.0: `cost` is unblended, `net` net unblended; `tags` by their own keys."""
    start = datetime.fromisoformat(day)
    tags = columns.pop("tags", None)
    line: dict[str, Any] = {
        "bill_payer_account_id": ACCOUNT,
        "bill_billing_period_start_date": f"{start:%Y-%m}-01T00:00:00Z",
        "bill_invoice_id": "",
        "line_item_usage_account_id": ACCOUNT,
        "line_item_line_item_type": kind,
        "line_item_product_code": "AmazonEC2",
        "line_item_usage_type": "",
        "line_item_operation": "",
        "line_item_resource_id": "",
        "line_item_usage_start_date": f"{start:%Y-%m-%dT%H:%M:%SZ}",
        "line_item_usage_end_date": f"{start + timedelta(hours=1):%Y-%m-%dT%H:%M:%SZ}",
        "line_item_usage_amount": "1",
        "line_item_currency_code": "USD",
        "line_item_unblended_cost": cost,
        "line_item_net_unblended_cost": net,
        "pricing_unit": "",
        "pricing_public_on_demand_cost": cost,
        "product_region_code": "us-east-1",
    }
    if isinstance(tags, Mapping):
        given = {f"user_{key}": value for key, value in tags.items()}
        line["resource_tags"] = json.dumps(given)
    return line | columns


@dataclass
class Twice:
    """What happens is written in both; `cur2` takes World's way with lines of its own."""

    folder: Path
    focus: World = field(init=False)
    cur2: World = field(init=False)

    def __post_init__(self) -> None:
        (self.folder / "focus").mkdir()
        (self.folder / "cur2").mkdir()
        self.focus = World(self.folder / "focus")
        self.cur2 = World(self.folder / "cur2")

    def both(self, day: str, focus: Mapping[str, Any], *lines: Mapping[str, Any]) -> None:
        """One charge of FOCUS (`cost` and columns) and the report's lines of it."""
        said = dict(focus)
        self.focus.charge(day, said.pop("cost"), **said)
        self.cur2.charges.extend(map(dict, lines))

    def worked(
        self, name: str, kind: str, start: str, hours: str, price: Price, epochs: int
    ) -> None:
        """A run on one day, with its progress."""
        day, tags = f"{start}T00:00:00", {"workload": "atlas-7b", "run": name}
        end = datetime.fromisoformat(day) + timedelta(hours=float(hours))
        self.used(day, hours, kind, price, tags)
        for world in (self.focus, self.cur2):
            for at, epoch in ((day, 0), (end.isoformat(), epochs)):
                world.sample(at, name, epoch, loss=1.5)

    def used(
        self, day: str, hours: str, meter: str, price: Price, tags: Mapping[str, str] | None,
        **both: str,
    ) -> None:  # fmt: skip
        """Instance-hours; `both` is said in either (ResourceId)."""
        number, instance_type = Decimal(hours), meter.partition(":")[2]
        listed = price.listed if price.listed is not None else Decimal(LIST[instance_type])
        net, gross, list_cost = (number * each for each in (price.net, price.gross, listed))
        focus: dict[str, Any] = {
            "cost": net, "ListCost": list_cost, "x_UsageType": meter, "ConsumedQuantity": hours,
            "ConsumedUnit": "Hours", "tags": tags, **both,
        }  # fmt: skip
        line: dict[str, Any] = {
            "tags": tags, "line_item_usage_type": meter, "line_item_usage_amount": hours,
            "pricing_unit": "Hrs", "pricing_public_on_demand_cost": list_cost,
            "line_item_resource_id": both.get("ResourceId", ""),
        }  # fmt: skip
        if price.by == "plan":
            paid = {"BilledCost": 0, "CommitmentDiscountId": PLAN,
                    "CommitmentDiscountStatus": "Used", "PricingCategory": "Committed"}  # fmt: skip
            rates = {"savings_plan_savings_plan_effective_cost": gross,
                     "savings_plan_net_savings_plan_effective_cost": net,
                     "savings_plan_savings_plan_a_r_n": PLAN}  # fmt: skip
            full = (list_cost, list_cost * Decimal("0.9"))
            back = (-list_cost, list_cost * Decimal("-0.9"))
            self.both(
                day,
                focus | paid,
                reported(day, "SavingsPlanCoveredUsage", *full, **line, **rates),
                reported(day, "SavingsPlanNegation", *back, **line | {"tags": None}),
            )
        elif price.by == "reservation":
            paid = {"BilledCost": 0, "CommitmentDiscountId": RESERVED,
                    "CommitmentDiscountStatus": "Used", "PricingCategory": "Committed"}  # fmt: skip
            rates = {"reservation_effective_cost": gross, "reservation_net_effective_cost": net,
                     "reservation_reservation_a_r_n": RESERVED,
                     "pricing_term": "Reserved"}  # fmt: skip
            self.both(day, focus | paid, reported(day, "DiscountedUsage", 0, 0, **line, **rates))
        else:
            self.both(day, focus, reported(day, "Usage", gross, net, **line))


@dataclass(frozen=True)
class Price:
    """Dollars an hour before and after discounts; None: the list price stands in `LIST`."""

    gross: Decimal
    net: Decimal
    by: str = ""
    listed: Decimal | None = None


def priced(gross: str, net: str, by: str = "", listed: str | None = None) -> Price:
    """From texts."""
    return Price(Decimal(gross), Decimal(net), by, None if listed is None else Decimal(listed))
