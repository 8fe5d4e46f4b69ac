"""Reserved terms of the Price List's products as prices: what an hour of a commitment costs.

A product names each of its terms under a code of its own, so they are unnested. Dollars per
instance-hour over the whole term: the hourly price, and the upfront fee spread evenly over the
term's hours. `plan` names class, term and payment. In force from the list's own date of the term.
"""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.contract.money import money, ratio
from models.contract.schema import AMOUNT
from models.formats import answered, fields

HOURS = 8760
"""Of a year, as AWS counts them."""
TERM = r"^(\d+)\s*yr$"
HOURLY = r'"unit"\s*:\s*"Hrs"[^{}]*"pricePerUnit"\s*:\s*\{\s*"USD"\s*:\s*"([^"]*)"'
UPFRONT = r'"unit"\s*:\s*"Quantity"[^{}]*"pricePerUnit"\s*:\s*\{\s*"USD"\s*:\s*"([^"]*)"'
SINCE = r"^(\d{4}-\d{2}-\d{2})"


def reserved(lines: ir.Table) -> ir.Table:
    """A row per product and term: the columns of `lines`, `usd_per_hour`, `since` and `plan`."""
    offered = answered.said(lines, "terms", "Reserved").cast("json").cast("map<string, json>")
    terms = lines.mutate(term=cast(ir.MapValue, offered).values().unnest())
    terms = terms.mutate(term=terms.term.cast("string"))
    years = _attribute(terms, "LeaseContractLength").re_extract(TERM, 1).nullif("").cast("int64")
    hourly = _amount(terms, HOURLY)
    upfront = ibis.coalesce(_amount(terms, UPFRONT), ibis.literal(0).cast(AMOUNT))
    since = fields.json_text(terms.term, "effectiveDate")
    named = [_attribute(terms, name) for name in ("OfferingClass", "PurchaseOption")]
    rows = terms.mutate(
        usd_per_hour=money(
            ibis.coalesce(hourly, ibis.literal(0).cast(AMOUNT)) + ratio(upfront, years * HOURS)
        ).cast(AMOUNT),
        since=cast(ir.StringValue, since).re_extract(SINCE, 1).nullif("").cast("date"),
        plan=named[0].capitalize() + " reserved, " + years.cast("string") + " yr, " + named[1],
    )
    known = rows.usd_per_hour.notnull() & rows.since.notnull() & rows.plan.notnull()
    return rows.filter(known & (rows.usd_per_hour > 0))


def _attribute(terms: ir.Table, name: str) -> ir.StringValue:
    attributes = cast(ir.StringValue, fields.json_text(terms.term, "termAttributes"))
    return fields.said(cast(ir.StringValue, fields.json_text(attributes, name)))


def _amount(terms: ir.Table, pattern: str) -> ir.DecimalValue:
    """Null where the term has none, or it cannot be read."""
    text = terms.term.re_extract(pattern, 1).nullif("")
    return cast(ir.DecimalValue, text.try_cast(AMOUNT))
