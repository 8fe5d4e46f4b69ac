"""Converts FOCUS lines to `charges`, one row per line."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.tags import Tags
from models.contract.schema import CHARGES, COSTS, DELIVERY_NUMBER, NUMBER, with_tags
from models.formats import fields
from models.formats.bill import shared_machine_lines, signs_of_refunds
from models.formats.bill.commitment_fees import commitment_status
from models.formats.bill.focus import columns, split_cost_rows
from models.formats.bill.pre_aggregation import PERIODS
from models.formats.json_fields import entry
from models.formats.null_text import null_if_blank
from models.formats.tag_rules import resolved_tags

HOUR = 3600
"""Seconds."""


def rows(lines: ir.Table, tags: Tags) -> ir.Table:
    """Converts each FOCUS line to a row of `charges`; keeps its delivery's number and periods.

    It keeps the number of a line's delivery, and `Periods` of pre-aggregated lines as well
    (`pre_aggregation`).
    """
    started = fields.timestamp(lines, "ChargePeriodStart")
    found: dict[str, ir.Value] = {name: fields.text(lines, name) for name in columns.TEXTS}
    found |= {name: fields.amount(lines, name) for name in COSTS}
    quantity, meter = _quantity(lines), fields.text(lines, *columns.METERS)
    found["EffectiveCost"] = split_cost_rows.effective_cost(lines)
    found["CommitmentDiscountStatus"] = commitment_status(lines)
    found |= {
        name: signs_of_refunds.price(lines, name, quantity, meter)
        for name in signs_of_refunds.PRICED
    }
    found["ListCost"] = _list_cost(lines, found, quantity)
    found |= resolved_tags(lines, tags, started)
    owned = found["run"].notnull()
    found |= {
        "BillingPeriodStart": _billing_period(lines).date(),
        "ChargePeriodStart": started,
        "ChargePeriodEnd": fields.timestamp(lines, "ChargePeriodEnd"),
        **hours(lines),
        "ProviderName": null_if_blank(fields.first_present(lines, *columns.PROVIDERS)),
        "SkuMeter": meter,
        "BillingCurrency": fields.text(lines, "BillingCurrency").upper(),
        "InstanceType": entry(lines, "SkuPriceDetails", "InstanceType"),
        "ConsumedQuantity": quantity,
        "ConsumedUnit": null_if_blank(fields.first_present(lines, *columns.UNITS)),
        "Tags": fields.text(lines, "Tags"),
        "HostResourceId": split_cost_rows.host(lines, found["run"]),
        "MachineId": shared_machine_lines.machine(lines, found["run"], meter, tags),
        "ClusterName": shared_machine_lines.cluster(lines, owned, meter, tags),
        **shared_machine_lines.held_by_pod(lines, tags),
    }
    further = [lines[name] for name in (DELIVERY_NUMBER, PERIODS) if name in lines.columns]
    return lines.select(*further, **{name: found[name] for name in with_tags(CHARGES, tags.extra)})


def hours(lines: ir.Table) -> dict[str, ir.Value]:
    """Returns the columns `FirstHour` and `LastHour` of FOCUS lines; null if over an hour long.

    A bill by day has none. Of lines added up before, it is from the first to the last hour.
    """
    if "FirstHour" in lines.columns:
        return {"FirstHour": lines.FirstHour, "LastHour": lines.LastHour}
    started = fields.timestamp(lines, "ChargePeriodStart")
    ended = fields.timestamp(lines, "ChargePeriodEnd")
    single = ended.epoch_seconds() - started.epoch_seconds() <= HOUR
    return {
        "FirstHour": ibis.ifelse(single, started, None),
        "LastHour": ibis.ifelse(single, ended, None),
    }


def delivered_quantity(lines: ir.Table) -> ir.Value:
    """Returns the column of FOCUS quantities, negative where a correction gives usage back."""
    present = [name for name in columns.QUANTITIES if name in lines.columns] or columns.QUANTITIES
    return signs_of_refunds.signed(lines, fields.amount(lines, present[0], NUMBER))


def _quantity(lines: ir.Table) -> ir.Value:
    """Returns a FOCUS line's used quantity; 0 for a Savings Plan's negation.

    The negation repeats the quantity of the hours that it covered.
    """
    billed, effective = (fields.amount(lines, name) for name in ("BilledCost", "EffectiveCost"))
    negation = (effective == 0) & (billed < 0)
    return ibis.ifelse(negation, 0, delivered_quantity(lines)).cast(NUMBER)


def _list_cost(lines: ir.Table, charge: dict[str, ir.Value], quantity: ir.Value) -> ir.Value:
    """Returns a FOCUS line's list cost; a list cost of $0 for paid usage is unknown, so null.

    Such a $0 is no price (METHOD §2.5). It stays $0 for the unused part of a commitment, and for
    dollars without hours, such as a discount.
    """
    unused = charge["CommitmentDiscountStatus"].fill_null("") == "Unused"
    used = charge["ChargeCategory"].isin(("Usage", "Adjustment")) & ~unused
    dollars_alone = (quantity == 0).fill_null(signs_of_refunds.corrects_a_charge(lines))
    costs = used & (charge["EffectiveCost"] != 0) & ~dollars_alone
    listed = charge["ListCost"]
    return ibis.ifelse(costs.fill_null(False), listed.nullif(0), listed)


def _billing_period(lines: ir.Table) -> ir.TimestampValue:
    """Returns the start of a FOCUS line's billing period, else of its charge."""
    started = fields.timestamp(lines, "ChargePeriodStart")
    return ibis.coalesce(fields.timestamp(lines, "BillingPeriodStart"), started)
