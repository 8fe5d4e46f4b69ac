"""Reads hourly prices of Linux EC2 and SageMaker training instances from the AWS Price List.

EC2 products are Linux, shared tenancy, nothing installed, bought on demand. SageMaker products are
training and HyperPod hours; their usage type contains the instance type. A price takes effect on
the date of its term. $0, or a product without exactly one on-demand price, is no price (METHOD
§2.5). Reserved terms of a product become committed rates (`reserved_terms`).
"""

from __future__ import annotations

from typing import Literal, cast

import ibis
import ibis.expr.types as ir

from models.config.tags import Tags
from models.contract.schema import AMOUNT, PRICES
from models.formats import line_faults
from models.formats.currency import other_currency
from models.formats.format import no_totals
from models.formats.line_faults import Fault
from models.formats.market import aws_responses
from models.formats.market.aws_responses import text_at
from models.formats.market.reserved_terms import reserved_terms
from models.formats.schema_rows import schema_rows

NAME = "price_list"
VIEW: Literal["prices"] = "prices"
REQUIRED = aws_responses.REQUIRED
SAGEMAKER_TYPE = r"(?:^|-)(?:Train|Cluster):(ml\..+)$"
LINUX = {
    "operatingSystem": "Linux",
    "tenancy": "Shared",
    "preInstalledSw": "NA",
    "capacitystatus": "Used",
    "marketoption": "OnDemand",
}
DOLLARS = r'"USD"\s*:\s*"([^"]*)"'
SEVERAL = r'"pricePerUnit".*"pricePerUnit"'
EFFECTIVE = r'"effectiveDate"\s*:\s*"(\d{4}-\d{2}-\d{2})'


def rows(lines: ir.Table, tags: Tags) -> ir.Table:
    """Converts AWS Price List products to prices: a row per on-demand price and reserved term."""
    price = _on_demand_price(lines).cast(AMOUNT)
    on_demand = _prices(lines, "on_demand", price, _effective_date(lines).cast("date"))
    terms = reserved_terms(lines)
    committed = _prices(terms, "committed", terms.usd_per_hour, terms.since, plan=terms.plan)
    return on_demand.union(committed)


def _prices(
    lines: ir.Table, option: str, price: ir.Value, since: ir.Value, **more: ir.Value
) -> ir.Table:
    columns: dict[str, ir.Value] = {
        "instance_type": _instance_type(lines),
        "region": _attribute(lines, "regionCode"),
        "purchase_option": ibis.literal(option),
        "usd_per_hour": price,
        "effective_from": since,
        "observed_on": lines.observed_on,
        **more,
    }
    found = schema_rows(lines, columns, PRICES)
    return found.filter(found.instance_type.notnull() & (found.usd_per_hour > 0))


def refusals(lines: ir.Table) -> ir.Table:
    """Returns problem, value and remedy of each Price List product with an unusable price."""
    kind = _instance_type(lines)
    terms, price = _terms(lines), _on_demand_price(lines)
    foreign = terms.re_search('"pricePerUnit"') & ~terms.re_search('"USD"') & kind.notnull()
    undated = price.notnull() & kind.notnull() & _effective_date(lines).isnull()
    without_region = price.notnull() & _attribute(lines, "regionCode").isnull()
    return line_faults.faulty_lines(
        lines,
        [
            other_currency(foreign.fill_null(False), kind),
            aws_responses.unreadable(price, "pricePerUnit", AMOUNT),
            aws_responses.negative(price, "pricePerUnit", AMOUNT),
            Fault(undated, "a price without effectiveDate", kind, "update breakeven"),
            Fault(without_region, "a price without regionCode", kind, "update breakeven"),
        ],
    )


totals = no_totals


def _attribute(lines: ir.Table, name: str) -> ir.StringValue:
    return text_at(lines, "product", "attributes", name)


def _instance_type(lines: ir.Table) -> ir.StringValue:
    """Returns a product's instance type if plain Linux EC2 or SageMaker training, else null."""
    plain = [(_attribute(lines, n).fill_null(value) == value) for n, value in LINUX.items()]
    ec2 = ibis.ifelse(ibis.and_(*plain), _attribute(lines, "instanceType"), None)
    hosted = _attribute(lines, "usagetype").re_extract(SAGEMAKER_TYPE, 1).nullif("")
    sagemaker = text_at(lines, "serviceCode") == "AmazonSageMaker"
    return cast(ir.StringValue, ibis.ifelse(sagemaker.fill_null(False), hosted, ec2))


def _terms(lines: ir.Table) -> ir.StringValue:
    return text_at(lines, "terms", "OnDemand")


def _on_demand_price(lines: ir.Table) -> ir.StringValue:
    """Returns a product's hourly on-demand price; null if it has none or several."""
    terms = _terms(lines)
    hourly = terms.re_search(r'"unit"\s*:\s*"Hrs"') & ~terms.re_search(SEVERAL)
    found = terms.re_extract(DOLLARS, 1).nullif("")
    return cast(ir.StringValue, ibis.ifelse(hourly.fill_null(False), found, None))


def _effective_date(lines: ir.Table) -> ir.StringValue:
    return cast(ir.StringValue, _terms(lines).re_extract(EFFECTIVE, 1).nullif(""))
