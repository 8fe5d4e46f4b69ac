"""Reads region and instance-hours from Cost Explorer's usage types, such as `USE2-BoxUsage:p5`."""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.contract.schema import AMOUNT
from models.formats import fields
from models.formats.bill.cost_explorer.net_or_gross_metrics import cost

KINDS = (
    "BoxUsage|SpotUsage|DedicatedUsage|HostBoxUsage|UnusedBox|UnusedDed|Train|Cluster"
    "|ReservedCluster"
)
HOURS = rf"^([A-Z0-9]+-)*({KINDS}):[a-z]"
"""An instance type follows; volumes of SageMaker's jobs (`Train:VolumeUsage.gp2`) have no hours.
After a region there may be a Local Zone, as in `USW2-LAX1-BoxUsage:`."""
BLOCK_FEE = r"(^|-)CapacityBlockFee:"
SPOT = r"(^|-)SpotUsage:"
REGION_CODE = r"^([A-Z0-9]+)-"
REGIONS = {
    "USE1": "us-east-1",
    "USE2": "us-east-2",
    "USW1": "us-west-1",
    "USW2": "us-west-2",
    "UGW1": "us-gov-west-1",
    "UGE1": "us-gov-east-1",
    "CAN1": "ca-central-1",
    "CAN2": "ca-west-1",
    "MXC1": "mx-central-1",
    "SAE1": "sa-east-1",
    "EU": "eu-west-1",
    "EUW1": "eu-west-1",
    "EUW2": "eu-west-2",
    "EUW3": "eu-west-3",
    "EUC1": "eu-central-1",
    "EUC2": "eu-central-2",
    "EUN1": "eu-north-1",
    "EUS1": "eu-south-1",
    "EUS2": "eu-south-2",
    "ILC1": "il-central-1",
    "MEC1": "me-central-1",
    "MES1": "me-south-1",
    "AFS1": "af-south-1",
    "CNN1": "cn-north-1",
    "CNW1": "cn-northwest-1",
    "APE1": "ap-east-1",
    "APN1": "ap-northeast-1",
    "APN2": "ap-northeast-2",
    "APN3": "ap-northeast-3",
    "APS1": "ap-southeast-1",
    "APS2": "ap-southeast-2",
    "APS3": "ap-south-1",
    "APS4": "ap-southeast-3",
    "APS5": "ap-south-2",
    "APS6": "ap-southeast-4",
    "APS7": "ap-southeast-5",
}
"""Region codes of usage types; EC2 writes none for us-east-1. Any other region is unknown."""


def region(meter: ir.StringValue) -> ir.Value:
    """Returns the column of a usage type's region; us-east-1 for hours without a region's code."""
    code = meter.re_extract(REGION_CODE, 1).nullif("")
    named = ibis.cases(*((code == short, name) for short, name in REGIONS.items()))
    hours = (meter.re_search(HOURS) | meter.re_search(BLOCK_FEE)).fill_null(False)
    return ibis.ifelse(code.isnull() & hours, "us-east-1", named)


def is_spot(meter: ir.StringValue) -> ir.BooleanValue:
    """Returns the condition that an AWS usage type means Spot instances."""
    return cast(ir.BooleanValue, meter.re_search(SPOT).fill_null(False))


def instance_hours(lines: ir.Table, meter: ir.StringValue) -> ir.Value:
    """Returns the column of instance-hours; null for lines of other quantities.

    Other quantities would add up unlike units. A discount, a refund, a Savings Plan's negation and
    anything else grouped by record type has 0, because other lines have the hours that it applies
    to: an unknown number would make theirs unknown, too.
    """
    quantity = fields.text(lines, "usage_quantity")
    negation = (cost(lines, "amortized") == 0) & (cost(lines, "unblended") < 0)
    hours = meter.re_search(HOURS).fill_null(False)
    discount = fields.text(lines, "record_class") == ibis.literal("discount")
    beside = hours & (negation | fields.text(lines, "record_type").notnull())
    without = discount.fill_null(False) | beside.fill_null(False)
    return ibis.cases((without, "0"), (hours, quantity)).cast(AMOUNT)
