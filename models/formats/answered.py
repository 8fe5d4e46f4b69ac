"""Reading what AWS answered: one item a line, as JSON text, with who was asked, where and when."""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.formats import fields

REQUIRED: tuple[str, ...] = ("observed_on", "said_at", "account", "region", "operation", "item")
CURRENCY = "USD"


def answers(lines: ir.Table, operation: str) -> ir.Table:
    """The lines of one operation."""
    return lines.filter(lines.operation == operation)


def said(lines: ir.Table, *path: str) -> ir.StringValue:
    """The text at a path of keys; an object or a list is its JSON text. Null where absent."""
    found = cast(ir.StringValue, lines["item"].cast("string"))
    for key in path:
        found = cast(ir.StringValue, fields.json_text(found, key))
    return fields.said(found)


def instant(lines: ir.Table, *path: str) -> ir.TimestampValue:
    """A time, UTC."""
    text = said(lines, *path)
    return cast(ir.TimestampValue, text.cast("timestamp('UTC')").cast("timestamp"))


def prop(lines: ir.Table, name: str) -> ir.StringValue:
    """The value of one of an item's `properties`, a list of names and values."""
    pattern = rf'"name"\s*:\s*"{name}"\s*,\s*"value"\s*:\s*"([^"]*)"'
    return cast(ir.StringValue, said(lines, "properties").re_extract(pattern, 1).nullif(""))


def other_currency(currency: ir.StringValue) -> fields.Fault:
    """An amount in a currency that is not the warehouse's; without an amount there is none."""
    wrong = (currency != CURRENCY).fill_null(False)
    return fields.Fault(
        wrong, f"Currency is not {CURRENCY}", currency, "one currency per warehouse"
    )


def unreadable(text: ir.StringValue, name: str, dtype: str) -> fields.Fault:
    """What AWS said under `name` is not what it always was."""
    wrong = text.notnull() & text.try_cast(dtype).isnull()
    return fields.Fault(
        cast(ir.BooleanValue, wrong), f"{name} cannot be read", text, "update breakeven"
    )


def negative(text: ir.StringValue, name: str, dtype: str) -> fields.Fault:
    """A price, a fee or a count below nothing."""
    wrong = (text.try_cast(dtype) < 0).fill_null(False)
    return fields.Fault(
        cast(ir.BooleanValue, wrong), f"{name} is below 0", text, "run again; then ask AWS support"
    )


def nothing(lines: ir.Table) -> ir.Table:
    """No bill: nothing to add up."""
    return lines.select(account=ibis.literal("")).limit(0)
