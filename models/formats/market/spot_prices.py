"""Changes of Spot prices as daily steps of a region: dollars per instance-hour, Linux.

AWS tells each change in each zone. A zone's price of a day is the one in force when the day ends;
a region's is the lowest of its zones: a run can be placed there, and a cheaper GPU claims less
saving. A row stands on each day on which a zone changed (METHOD §2.5).
"""

from __future__ import annotations

from typing import Literal

import ibis
import ibis.expr.types as ir

from models.config.settings import Tags
from models.contract.schema import AMOUNT, PRICES
from models.formats import answered, fields

NAME = "spot_prices"
VIEW: Literal["prices"] = "prices"
REQUIRED = answered.REQUIRED
LINUX = ("Linux/UNIX", "Linux/UNIX (Amazon VPC)")
SERIES = ("instance_type", "region")


def rows(lines: ir.Table, tags: Tags) -> ir.Table:
    """One row per instance type, region and day of a change, in the schema of `prices`."""
    steps = _zone_days(lines)
    days = steps.select(kind="instance_type", place="region", on="day").distinct()
    held = days.join(
        steps,
        [
            days.kind == steps.instance_type,
            days.place == steps.region,
            steps.day <= days.on,
            (days.on < steps.until) | steps.until.isnull(),
        ],
    )
    lowest = held.group_by("instance_type", "region", effective_from="on").agg(
        usd_per_hour=held.price.min(), observed_on=held.observed_on.max()
    )
    known = {**{name: lowest[name] for name in lowest.columns}}
    known["purchase_option"] = ibis.literal("spot")
    return lowest.select(
        **{n: known.get(n, ibis.null(dtype)).cast(dtype) for n, dtype in PRICES.items()}
    )


def refusals(lines: ir.Table) -> ir.Table:
    """A price or a time that cannot be read, a price below 0."""
    price = answered.said(lines, "SpotPrice")
    return fields.faults(
        lines,
        [
            answered.unreadable(price, "SpotPrice", AMOUNT),
            answered.negative(price, "SpotPrice", AMOUNT),
            answered.unreadable(answered.said(lines, "Timestamp"), "Timestamp", "timestamp('UTC')"),
        ],
    )


totals = answered.nothing


def _zone_days(lines: ir.Table) -> ir.Table:
    """Each zone's last price of each day on which it changed, until the next such day."""
    told = lines.select(
        "region",
        "observed_on",
        instance_type=answered.said(lines, "InstanceType"),
        zone=answered.said(lines, "AvailabilityZone"),
        price=answered.said(lines, "SpotPrice").cast(AMOUNT),
        at=answered.instant(lines, "Timestamp"),
        linux=answered.said(lines, "ProductDescription").isin(LINUX),
    )
    told = told.filter(told.linux & (told.price > 0)).mutate(day=told["at"].date())
    zone = [*SERIES, "zone"]
    last = ibis.row_number().over(
        ibis.window(group_by=[*zone, "day"], order_by=[ibis.desc("at"), "price"])
    )
    days = told.mutate(place_in_day=last).filter(lambda row: row.place_in_day == 0)
    return days.mutate(until=days.day.lead().over(ibis.window(group_by=zone, order_by="day")))
