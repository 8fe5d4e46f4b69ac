"""Products of the Price List as prices: one item a line, dollars per instance-hour.

EC2's are Linux, shared tenancy, nothing installed, bought on demand; SageMaker's are training and
HyperPod hours, whose type stands in the usage type. In force from the list's own date of the term.
$0, or a product without exactly one on-demand price, is a price nobody knows (METHOD §2.5). Its
reserved terms are rates of commitments.
"""

from __future__ import annotations

from typing import Literal, cast

import ibis
import ibis.expr.types as ir

from models.config.settings import Tags
from models.contract.schema import AMOUNT, PRICES
from models.formats import answered, fields
from models.formats.market.reserved_terms import reserved

NAME = "price_list"
VIEW: Literal["prices"] = "prices"
REQUIRED = answered.REQUIRED
HOSTED = r"(?:^|-)(?:Train|Cluster):(ml\..+)$"
LINUX = {
    "operatingSystem": "Linux",
    "tenancy": "Shared",
    "preInstalledSw": "NA",
    "capacitystatus": "Used",
    "marketoption": "OnDemand",
}
DOLLARS = r'"USD"\s*:\s*"([^"]*)"'
SEVERAL = r'"pricePerUnit".*"pricePerUnit"'
SINCE = r'"effectiveDate"\s*:\s*"(\d{4}-\d{2}-\d{2})'


def rows(lines: ir.Table, tags: Tags) -> ir.Table:
    """One row per product with a price and one per reserved term, in the schema of `prices`."""
    listed = _priced(lines, "on_demand", _price(lines).cast(AMOUNT), _since(lines).cast("date"))
    terms = reserved(lines)
    held = _priced(terms, "committed", terms.usd_per_hour, terms.since, plan=terms.plan)
    return listed.union(held)


def _priced(
    lines: ir.Table, option: str, price: ir.Value, since: ir.Value, **more: ir.Value
) -> ir.Table:
    known: dict[str, ir.Value] = {
        "instance_type": _instance_type(lines),
        "region": _attribute(lines, "regionCode"),
        "purchase_option": ibis.literal(option),
        "usd_per_hour": price,
        "effective_from": since,
        "observed_on": lines.observed_on,
        **more,
    }
    columns = {n: known.get(n, ibis.null(dtype)).cast(dtype) for n, dtype in PRICES.items()}
    found = lines.select(**columns)
    return found.filter(found.instance_type.notnull() & (found.usd_per_hour > 0))


def refusals(lines: ir.Table) -> ir.Table:
    """A price in another currency, below 0 or unreadable; a priced product without a date."""
    kind = _instance_type(lines)
    terms = _terms(lines)
    foreign = terms.re_search('"pricePerUnit"') & ~terms.re_search('"USD"') & kind.notnull()
    undated = _price(lines).notnull() & kind.notnull() & _since(lines).isnull()
    placeless = _price(lines).notnull() & _attribute(lines, "regionCode").isnull()
    return fields.faults(
        lines,
        [
            fields.Fault(
                foreign.fill_null(False),
                f"Currency is not {answered.CURRENCY}",
                kind,
                "one currency per warehouse",
            ),
            answered.unreadable(_price(lines), "pricePerUnit", AMOUNT),
            answered.negative(_price(lines), "pricePerUnit", AMOUNT),
            fields.Fault(undated, "a price without effectiveDate", kind, "update breakeven"),
            fields.Fault(placeless, "a price without regionCode", kind, "update breakeven"),
        ],
    )


totals = answered.nothing


def _attribute(lines: ir.Table, name: str) -> ir.StringValue:
    return answered.said(lines, "product", "attributes", name)


def _instance_type(lines: ir.Table) -> ir.StringValue:
    """Null for a product that is not the plain hour."""
    plain = [(_attribute(lines, n).fill_null(value) == value) for n, value in LINUX.items()]
    ec2 = ibis.ifelse(ibis.and_(*plain), _attribute(lines, "instanceType"), None)
    hosted = _attribute(lines, "usagetype").re_extract(HOSTED, 1).nullif("")
    sagemaker = answered.said(lines, "serviceCode") == "AmazonSageMaker"
    return cast(ir.StringValue, ibis.ifelse(sagemaker.fill_null(False), hosted, ec2))


def _terms(lines: ir.Table) -> ir.StringValue:
    return answered.said(lines, "terms", "OnDemand")


def _price(lines: ir.Table) -> ir.StringValue:
    """The one price of an hour, as delivered."""
    terms = _terms(lines)
    hourly = terms.re_search(r'"unit"\s*:\s*"Hrs"') & ~terms.re_search(SEVERAL)
    found = terms.re_extract(DOLLARS, 1).nullif("")
    return cast(ir.StringValue, ibis.ifelse(hourly.fill_null(False), found, None))


def _since(lines: ir.Table) -> ir.StringValue:
    return cast(ir.StringValue, _terms(lines).re_extract(SINCE, 1).nullif(""))
