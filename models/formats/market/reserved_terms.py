"""Computes the hourly cost of reserved instances from the reserved terms of the Price List.

A product names each of its terms under a code of its own, so terms become rows. The price is in
dollars per instance-hour over the whole term: the hourly price, and the upfront fee spread evenly
over the term's hours. A term that lacks a price which it should have has no rate. `plan` names
class, term and payment; the term's date is when it took effect.

Example: $8,760 upfront for 1 year and $0.50 an hour cost 8,760 ÷ 8,760 + 0.50 = $1.50 an hour.
"""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.contract.money import money, ratio
from models.contract.schema import AMOUNT
from models.formats.json_fields import json_text
from models.formats.market.aws_responses import text_at
from models.formats.null_text import null_if_blank

HOURS_PER_YEAR = 8760
"""As AWS counts them."""
TERM = r"^(\d+)\s*yr$"
HOURLY = r'"unit"\s*:\s*"Hrs"[^{}]*"pricePerUnit"\s*:\s*\{\s*"USD"\s*:\s*"([^"]*)"'
UPFRONT = r'"unit"\s*:\s*"Quantity"[^{}]*"pricePerUnit"\s*:\s*\{\s*"USD"\s*:\s*"([^"]*)"'
SINCE = r"^(\d{4}-\d{2}-\d{2})"


def reserved_terms(lines: ir.Table) -> ir.Table:
    """Returns a row per product and reserved term: dollars per hour with the upfront fee spread.

    It has the columns of `lines`, and `usd_per_hour`, `since` and `plan`.
    """
    offered = text_at(lines, "terms", "Reserved").cast("json").cast("map<string, json>")
    terms = lines.mutate(term=cast(ir.MapValue, offered).values().unnest())
    terms = terms.mutate(term=terms.term.cast("string"))
    years = _attribute(terms, "LeaseContractLength").re_extract(TERM, 1).nullif("").cast("int64")
    hourly = _price(terms, HOURLY)
    since = json_text(terms.term, "effectiveDate")
    offering, payment = (_attribute(terms, n) for n in ("OfferingClass", "PurchaseOption"))
    upfront = _or_zero(_price(terms, UPFRONT), payment == "No Upfront")
    per_hour = _or_zero(hourly, payment == "All Upfront")
    rows = terms.mutate(
        usd_per_hour=money(per_hour + ratio(upfront, years * HOURS_PER_YEAR)).cast(AMOUNT),
        since=cast(ir.StringValue, since).re_extract(SINCE, 1).nullif("").cast("date"),
        plan=offering.capitalize() + " reserved, " + years.cast("string") + " yr, " + payment,
    )
    complete = rows.usd_per_hour.notnull() & rows.since.notnull() & rows.plan.notnull()
    return rows.filter(complete & (rows.usd_per_hour > 0))


def _or_zero(price: ir.DecimalValue, is_none: ir.BooleanValue) -> ir.Value:
    """Returns a price column with 0 where the term has no such price; null where one is missing."""
    return ibis.coalesce(price, ibis.ifelse(is_none, ibis.literal(0).cast(AMOUNT), None))


def _attribute(terms: ir.Table, name: str) -> ir.StringValue:
    attributes = cast(ir.StringValue, json_text(terms.term, "termAttributes"))
    return null_if_blank(cast(ir.StringValue, json_text(attributes, name)))


def _price(terms: ir.Table, pattern: str) -> ir.DecimalValue:
    """Reads a reserved term's price by a regular expression; null if absent or unreadable."""
    text = terms.term.re_extract(pattern, 1).nullif("")
    return cast(ir.DecimalValue, text.try_cast(AMOUNT))
