"""Sums the FOCUS lines of a day that differ only in their amounts."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.tags import Labels, Tags
from models.contract.rules.usage_type_patterns import MACHINE_HOURS
from models.contract.schema import COSTS
from models.formats import fields, tag_keys
from models.formats.bill import shared_machine_lines, signs_of_refunds
from models.formats.bill.capacity_reservations import costs_nothing
from models.formats.bill.commitment_fees import commitment_status
from models.formats.bill.focus import columns, split_cost_rows
from models.formats.bill.focus.charges import delivered_quantity, hours
from models.formats.bill.pre_aggregation import add_up
from models.formats.json_fields import raw_entry
from models.formats.tag_rules import resolved_tags, resource_matches


def pre_aggregated(lines: ir.Table, tags: Tags) -> ir.Table:
    """Sums a day's FOCUS lines that differ only in amounts; $0 instance-hours stay by hour.

    `rows` converts what it returns. Free instance-hours are kept by hour because a Capacity Block
    may cover them (METHOD §2.7).
    """
    started = fields.timestamp(lines, "ChargePeriodStart")
    ended = fields.timestamp(lines, "ChargePeriodEnd")
    meter = fields.text(lines, *columns.METERS)
    of_machine = _machines(lines, meter, started, tags)
    if of_machine:
        # a view of its own: Ibis would write the condition out again wherever it is read
        lines = lines.mutate(**of_machine).view()
        of_machine = {name: lines[name] for name in of_machine}
        started = fields.timestamp(lines, "ChargePeriodStart")
        ended = fields.timestamp(lines, "ChargePeriodEnd")
        meter = fields.text(lines, *columns.METERS)
    by_hour = ibis.ifelse(costs_nothing(lines), meter.contains("BoxUsage:").fill_null(False), False)
    if of_machine:
        by_time = meter.re_search(MACHINE_HOURS).fill_null(False)
        named = of_machine[shared_machine_lines.MACHINE].notnull()
        by_hour = by_hour | ibis.ifelse(named, by_time, False)
    description = fields.text(lines, "ChargeDescription")
    computed: dict[str, ir.Value] = {
        "ChargePeriodStart": ibis.ifelse(by_hour, started, started.truncate("D")),
        "ChargePeriodEnd": ibis.ifelse(by_hour, ended, None),
        "ChargeDescription": ibis.ifelse(meter.isnull(), description, None),
        "SkuPriceDetails.InstanceType": raw_entry(lines, "SkuPriceDetails", "InstanceType"),
        "CommitmentDiscountStatus": commitment_status(lines),
        "ProviderName": fields.first_present(lines, *columns.PROVIDERS),
        "ConsumedUnit": fields.first_present(lines, *columns.UNITS),
        **{f"Tags.{key}": tag_keys.raw_tag(lines, key) for key in tag_keys.configured_keys(tags)},
        **resource_matches(lines, tags),
        **of_machine,
    }
    if split_cost_rows.names_hosts(lines):
        run = tag_keys.tag(lines, tags.run)
        computed[split_cost_rows.HOST] = split_cost_rows.host(lines, run)
    exact = {"ChargePeriodStart": started, "ChargePeriodEnd": ended}
    amounts = _amounts(lines, meter)
    if of_machine and split_cost_rows.names_hosts(lines):
        amounts |= split_cost_rows.held_by_pod(lines)
    return add_up(lines, columns.READ_AS_DELIVERED, computed, amounts, exact, hours(lines))


def _machines(
    lines: ir.Table, meter: ir.StringValue, started: ir.TimestampValue, tags: Tags
) -> dict[str, ir.Value]:
    """Returns the machine and the cluster of lines that jobs may have shared, to group by."""
    if not (isinstance(tags, Labels) and tags.shared_machines):
        return {}
    run = resolved_tags(lines, tags, started)["run"]
    return {
        shared_machine_lines.MACHINE: shared_machine_lines.machine(lines, run, meter, tags),
        shared_machine_lines.CLUSTER: shared_machine_lines.cluster(lines, run.notnull(), tags),
    }


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
