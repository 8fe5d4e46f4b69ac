"""Reads rates of the Savings Plan types that an account owns: dollars per Linux instance-hour.

A rate counts where the account owns a plan of its type and payment, of whatever term, so that one
year can be compared with three; `plan` names type, term and payment. AWS gives no date, so a rate
takes effect on the day it was seen. Nothing is repriced with it: committed hours follow the
on-demand list price (METHOD §5.3).
"""

from __future__ import annotations

from typing import Literal, cast

import ibis
import ibis.expr.types as ir

from models.config.tags import Tags
from models.contract.schema import AMOUNT, PRICES
from models.formats import line_faults
from models.formats.format import no_totals
from models.formats.market import aws_responses
from models.formats.market.aws_responses import of_operation, property_of, text_at
from models.formats.schema_rows import schema_rows

NAME = "savings_plans"
VIEW: Literal["prices"] = "prices"
REQUIRED = aws_responses.REQUIRED
SECONDS_PER_YEAR = 365 * 24 * 3600
INSTANCE_TYPE = r":((?:ml\.)?[a-z][a-z0-9-]*\.[a-z0-9-]+)$"
HOURS = r"(?:^|-)(?:BoxUsage|Train|Cluster):"
LINUX = {"productDescription": "Linux/UNIX", "tenancy": "shared"}


def rows(lines: ir.Table, tags: Tags) -> ir.Table:
    """Converts Savings Plan rates to prices, for plan types and payments that the account owns."""
    rates = _rates(of_operation(lines, "DescribeSavingsPlansOfferingRates"))
    owned = _owned_plans(of_operation(lines, "DescribeSavingsPlans"))
    found = rates.semi_join(owned, ["account", "kind", "payment"])
    columns: dict[str, ir.Value] = {name: found[name] for name in found.columns if name in PRICES}
    return schema_rows(found, columns | {"purchase_option": ibis.literal("committed")}, PRICES)


def refusals(lines: ir.Table) -> ir.Table:
    """Returns problem, value and remedy of each Savings Plan rate not in dollars or unusable."""
    rate = text_at(lines, "rate")
    currency = text_at(lines, "savingsPlanOffering", "currency")
    return line_faults.faulty_lines(
        lines,
        [
            aws_responses.currency_fault(currency),
            aws_responses.unreadable(rate, "rate", AMOUNT),
            aws_responses.negative(rate, "rate", AMOUNT),
        ],
    )


totals = no_totals


def _rates(lines: ir.Table) -> ir.Table:
    """Reads Savings Plan rates of plain Linux instance-hours, with the plan's type and payment."""
    linux = [property_of(lines, n).fill_null(value) == value for n, value in LINUX.items()]
    hours = text_at(lines, "usageType").re_search(HOURS)
    found = lines.filter(ibis.and_(*linux, hours, text_at(lines, "unit") == "Hrs"))
    kind, seconds, payment = (
        text_at(found, "savingsPlanOffering", name)
        for name in ("planType", "durationSeconds", "paymentOption")
    )
    rates = found.select(
        "account",
        "observed_on",
        instance_type=text_at(found, "usageType").re_extract(INSTANCE_TYPE, 1).nullif(""),
        region=property_of(found, "region"),
        usd_per_hour=text_at(found, "rate").cast(AMOUNT),
        effective_from=found.observed_on,
        kind=kind,
        payment=payment,
        plan=_plan_name(kind, seconds, payment),
    )
    return rates.filter(rates.instance_type.notnull() & (rates.usd_per_hour > 0))


def _owned_plans(lines: ir.Table) -> ir.Table:
    return lines.select(
        "account",
        kind=text_at(lines, "savingsPlanType"),
        payment=text_at(lines, "paymentOption"),
    ).distinct()


def _plan_name(
    kind: ir.StringValue, seconds: ir.StringValue, payment: ir.StringValue
) -> ir.StringValue:
    years = (seconds.cast("int64") / SECONDS_PER_YEAR).round().cast("int64").cast("string")
    return cast(ir.StringValue, kind + ", " + years + " yr, " + payment)
