"""Sums the FOCUS lines of a day that differ only in hour, machine and amounts."""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.config.tags import Labels, Tags
from models.contract.schema import COSTS, DELIVERY_NUMBER
from models.formats import fields, tag_keys
from models.formats.bill import signs_of_refunds
from models.formats.bill.commitment_fees import commitment_status
from models.formats.bill.focus import columns, split_cost_rows
from models.formats.bill.focus.charges import delivered_quantity, hours
from models.formats.bill.focus.machines_of_lines import machines_of_lines
from models.formats.bill.pre_aggregation import add_up
from models.formats.json_fields import raw_entry
from models.formats.tag_rules import resource_matches


def pre_aggregated(lines: ir.Table, tags: Tags) -> ir.Table:
    """Sums a day's FOCUS lines over hours and machines; corrections and $0 hours stay by hour.

    `rows` converts what it returns. Free instance-hours are kept by hour because a Capacity Block
    may cover them (METHOD §2.7). Hours of machines that jobs may share are not added up: alike ones
    of a day are one line that lists them.
    """
    started = fields.timestamp(lines, "ChargePeriodStart")
    ended = fields.timestamp(lines, "ChargePeriodEnd")
    meter = fields.text(lines, *columns.METERS)
    by_hour = ibis.ifelse(
        _costs_nothing(lines), meter.contains("BoxUsage:").fill_null(False), False
    )
    description = fields.text(lines, "ChargeDescription")
    computed: dict[str, ir.Value] = {
        "ChargePeriodStart": ibis.ifelse(by_hour, started, started.truncate("D")),
        "ChargePeriodEnd": ibis.ifelse(by_hour, ended, None),
        "ChargeDescription": ibis.ifelse(meter.isnull(), description, None),
        "SkuPriceDetails.InstanceType": raw_entry(lines, "SkuPriceDetails", "InstanceType"),
        "CommitmentDiscountStatus": commitment_status(lines),
        "ProviderName": fields.first_present(lines, *columns.PROVIDERS),
        "ConsumedUnit": fields.first_present(lines, *columns.UNITS),
        **{
            tag_keys.read_tag(key): tag_keys.raw_tag(lines, key)
            for key in tag_keys.configured_keys(tags)
        },
        **resource_matches(lines, tags),
    }
    if split_cost_rows.names_hosts(lines):
        run = tag_keys.tag(lines, tags.run)
        computed[split_cost_rows.HOST] = split_cost_rows.host(lines, run)
    exact = {"ChargePeriodStart": started, "ChargePeriodEnd": ended}
    amounts, few = _amounts(lines, meter), None
    if isinstance(tags, Labels) and tags.shared_machines:
        few = machines_of_lines(lines, tags)
        if split_cost_rows.names_hosts(lines):
            amounts |= split_cost_rows.held_by_pod(lines)
    texts = (*columns.READ_AS_DELIVERED, DELIVERY_NUMBER)
    return add_up(lines, texts, computed, amounts, exact, hours(lines), few)


def _costs_nothing(lines: ir.Table) -> ir.BooleanValue:
    """Returns the condition that a bill line's billed and effective costs are both 0 or absent.

    Hours of a Capacity Block are billed like this (METHOD §2.7).
    """
    amounts = [fields.amount(lines, name) for name in ("EffectiveCost", "BilledCost")]
    return cast(ir.BooleanValue, ibis.and_(*(value.fill_null(0) == 0 for value in amounts)))


def _amounts(lines: ir.Table, meter: ir.StringValue) -> dict[str, ir.Value]:
    quantity = delivered_quantity(lines)
    delivered: dict[str, ir.Value] = {
        name: signs_of_refunds.price(lines, name, quantity, meter)
        if name in signs_of_refunds.PRICED
        else fields.amount(lines, name)
        for name in COSTS
        if name in lines.columns
    }
    effective = split_cost_rows.effective_cost(lines)
    return delivered | {"EffectiveCost": effective, "ConsumedQuantity": quantity}
