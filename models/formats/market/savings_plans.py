"""Rates of Savings Plans as prices: dollars per instance-hour of a plan of the kind that is owned.

A rate counts where the account owns a plan of its type and payment, whatever the term, so that a
year can be set against three; `plan` names all three.
AWS tells no date, so it holds from the day it was seen. Nothing is re-priced with it: committed
hours follow the on-demand list price (METHOD §5).
"""

from __future__ import annotations

from typing import Literal, cast

import ibis
import ibis.expr.types as ir

from models.config.settings import Tags
from models.contract.schema import AMOUNT, PRICES
from models.formats import answered, fields

NAME = "savings_plans"
VIEW: Literal["prices"] = "prices"
REQUIRED = answered.REQUIRED
YEAR = 365 * 24 * 3600
TYPE = r":((?:ml\.)?[a-z][a-z0-9-]*\.[a-z0-9-]+)$"
HOURS = r"(?:^|-)(?:BoxUsage|Train|Cluster):"
PLAIN = {"productDescription": "Linux/UNIX", "tenancy": "shared"}


def rows(lines: ir.Table, tags: Tags) -> ir.Table:
    """One row per rate, in the schema of `prices`."""
    rates = _rates(answered.answers(lines, "DescribeSavingsPlansOfferingRates"))
    owned = _owned(answered.answers(lines, "DescribeSavingsPlans"))
    found = rates.semi_join(owned, ["account", "kind", "payment"])
    known: dict[str, ir.Value] = {name: found[name] for name in found.columns if name in PRICES}
    known["purchase_option"] = ibis.literal("committed")
    return found.select(
        **{n: known.get(n, ibis.null(dtype)).cast(dtype) for n, dtype in PRICES.items()}
    )


def refusals(lines: ir.Table) -> ir.Table:
    """A rate in another currency, below 0, or one that cannot be read."""
    rate = answered.said(lines, "rate")
    currency = answered.said(lines, "savingsPlanOffering", "currency")
    return fields.faults(
        lines,
        [
            answered.other_currency(currency),
            answered.unreadable(rate, "rate", AMOUNT),
            answered.negative(rate, "rate", AMOUNT),
        ],
    )


totals = answered.nothing


def _rates(lines: ir.Table) -> ir.Table:
    usage = answered.said(lines, "usageType")
    plain = [answered.prop(lines, n).fill_null(value) == value for n, value in PLAIN.items()]
    found = lines.filter(
        ibis.and_(*plain, usage.re_search(HOURS), answered.said(lines, "unit") == "Hrs")
    )
    offering = ("planType", "durationSeconds", "paymentOption")
    rates = found.select(
        "account",
        "observed_on",
        instance_type=answered.said(found, "usageType").re_extract(TYPE, 1).nullif(""),
        region=answered.prop(found, "region"),
        usd_per_hour=answered.said(found, "rate").cast(AMOUNT),
        effective_from=found.observed_on,
        kind=answered.said(found, "savingsPlanOffering", "planType"),
        payment=answered.said(found, "savingsPlanOffering", "paymentOption"),
        plan=_plan(*(answered.said(found, "savingsPlanOffering", name) for name in offering)),
    )
    return rates.filter(rates.instance_type.notnull() & (rates.usd_per_hour > 0))


def _owned(lines: ir.Table) -> ir.Table:
    return lines.select(
        "account",
        kind=answered.said(lines, "savingsPlanType"),
        payment=answered.said(lines, "paymentOption"),
    ).distinct()


def _plan(kind: ir.StringValue, seconds: ir.StringValue, payment: ir.StringValue) -> ir.StringValue:
    years = (seconds.cast("int64") / YEAR).round().cast("int64").cast("string")
    return cast(ir.StringValue, kind + ", " + years + " yr, " + payment)
