"""Reads items of AWS API responses that were stored as JSON text, one item per line.

A line names the `operation`, account and region, the time of the answer (`said_at`, UTC), and has
the item itself in `item`.
"""

from __future__ import annotations

from typing import cast

import ibis.expr.types as ir

from models.formats.currency import is_other, other_currency
from models.formats.json_fields import json_text
from models.formats.line_faults import Fault
from models.formats.null_text import null_if_blank

REQUIRED: tuple[str, ...] = ("observed_on", "said_at", "account", "region", "operation", "item")


def of_operation(lines: ir.Table, operation: str) -> ir.Table:
    """Selects the stored AWS API responses of one operation."""
    return lines.filter(lines.operation == operation)


def text_at(lines: ir.Table, *path: str) -> ir.StringValue:
    """Returns the column expression of the text at a path of keys in AWS responses; null if absent.

    An object or a list is returned as its JSON text.
    """
    found = cast(ir.StringValue, lines["item"].cast("string"))
    for key in path:
        found = cast(ir.StringValue, json_text(found, key))
    return null_if_blank(found)


def time_at(lines: ir.Table, *path: str) -> ir.TimestampValue:
    """Returns the column expression of the UTC time at a path of keys in AWS responses, or null."""
    text = text_at(lines, *path)
    return cast(ir.TimestampValue, text.cast("timestamp('UTC')").cast("timestamp"))


def property_of(lines: ir.Table, name: str) -> ir.StringValue:
    """Returns the column expression of a named entry of `properties` in AWS responses, or null."""
    pattern = rf'"name"\s*:\s*"{name}"\s*,\s*"value"\s*:\s*"([^"]*)"'
    return cast(ir.StringValue, text_at(lines, "properties").re_extract(pattern, 1).nullif(""))


def currency_fault(currency: ir.StringValue) -> Fault:
    """Returns the `Fault` that refuses an AWS API response with an amount not in US dollars.

    An item without an amount has no currency.
    """
    return other_currency(is_other(currency), currency)


def unreadable(text: ir.StringValue, name: str, dtype: str) -> Fault:
    """Returns the `Fault` that refuses AWS API text which cannot be converted to a type.

    Such text means that AWS has changed the form of its answer.
    """
    wrong = text.notnull() & text.try_cast(dtype).isnull()
    return Fault(cast(ir.BooleanValue, wrong), f"{name} cannot be read", text, "update breakeven")


def negative(text: ir.StringValue, name: str, dtype: str) -> Fault:
    """Returns the `Fault` that refuses an AWS API response with a price, fee or count below 0."""
    wrong = (text.try_cast(dtype) < 0).fill_null(False)
    return Fault(
        cast(ir.BooleanValue, wrong), f"{name} is below 0", text, "run again; then ask AWS support"
    )
