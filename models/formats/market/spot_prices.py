"""Reads Spot price changes as daily prices of a region: dollars per instance-hour, Linux.

AWS reports each change in each zone. Accounts name the same zones differently (`us-east-1a`), so a
zone is known by its id, which AWS tells beside the name. A zone's price of a day is the one in
force when the day ends; a region's is the lowest of its zones, because a run can be placed there
and a cheaper GPU claims less saving. There is a row for each day on which a zone changed (METHOD
§2.5).

Example: zone a falls from $9 to $8 on the 3rd while zone b stays at $7: the region's price on the
3rd is $7.
"""

from __future__ import annotations

from typing import Literal

import ibis
import ibis.expr.types as ir

from models.config.tags import Tags
from models.contract.schema import AMOUNT, PRICES
from models.formats import line_faults
from models.formats.format import no_totals
from models.formats.market import aws_responses
from models.formats.market.aws_responses import text_at, time_at
from models.formats.schema_rows import schema_rows

NAME = "spot_prices"
VIEW: Literal["prices"] = "prices"
REQUIRED = aws_responses.REQUIRED
LINUX = ("Linux/UNIX", "Linux/UNIX (Amazon VPC)")
SERIES = ("instance_type", "region")


def rows(lines: ir.Table, tags: Tags) -> ir.Table:
    """Converts Spot price changes to prices: the lowest zone's per type, region and changed day.

    A day without a change in any of the zones has no row.
    """
    steps = _zone_steps(lines)
    days = steps.select(kind="instance_type", place="region", on="day").distinct()
    in_force = days.join(
        steps,
        [
            days.kind == steps.instance_type,
            days.place == steps.region,
            steps.day <= days.on,
            (days.on < steps.until) | steps.until.isnull(),
        ],
    )
    lowest = in_force.group_by("instance_type", "region", effective_from="on").agg(
        usd_per_hour=in_force.price.min(), observed_on=in_force.observed_on.max()
    )
    columns: dict[str, ir.Value] = {name: lowest[name] for name in lowest.columns}
    return schema_rows(lowest, columns | {"purchase_option": ibis.literal("spot")}, PRICES)


def refusals(lines: ir.Table) -> ir.Table:
    """Returns problem, value and remedy of each Spot price change with a bad price or time."""
    price, time = text_at(lines, "SpotPrice"), text_at(lines, "Timestamp")
    return line_faults.faulty_lines(
        lines,
        [
            aws_responses.unreadable(price, "SpotPrice", AMOUNT),
            aws_responses.negative(price, "SpotPrice", AMOUNT),
            aws_responses.unreadable(time, "Timestamp", "timestamp('UTC')"),
        ],
    )


totals = no_totals


def _zone_steps(lines: ir.Table) -> ir.Table:
    """Returns each zone's last Spot price of each day with a change, and when the next begins."""
    changes = lines.select(
        "account",
        "region",
        "observed_on",
        instance_type=text_at(lines, "InstanceType"),
        name=text_at(lines, "AvailabilityZone"),
        zone_id=text_at(lines, "AvailabilityZoneId"),
        price=text_at(lines, "SpotPrice").cast(AMOUNT),
        at=time_at(lines, "Timestamp"),
        linux=text_at(lines, "ProductDescription").isin(LINUX),
    )
    changes = changes.filter(changes.linux & (changes.price > 0))
    changes = changes.mutate(day=changes["at"].date(), zone=_zone(changes))
    zone = [*SERIES, "zone"]
    last = ibis.row_number().over(
        ibis.window(group_by=[*zone, "day"], order_by=[ibis.desc("at"), "price"])
    )
    days = changes.mutate(place_in_day=last).filter(lambda row: row.place_in_day == 0)
    return days.mutate(until=days.day.lead().over(ibis.window(group_by=zone, order_by="day")))


def _zone(changes: ir.Table) -> ir.Value:
    """Returns each price change's zone id, else that of another change of its name, else the name.

    Changes that were delivered before AWS told the id have the name alone.
    """
    named = ibis.window(group_by=["account", "region", "name"])
    return ibis.coalesce(changes.zone_id, changes.zone_id.max().over(named), changes.name)
