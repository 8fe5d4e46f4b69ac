"""Replaces empty text and the word `NULL` by null; AWS and its users write both for no value."""

from __future__ import annotations

from typing import cast

import ibis.expr.types as ir


def null_if_blank(value: ir.Value) -> ir.StringValue:
    """Returns a column of text with null in place of empty text and of the word `NULL`."""
    return cast(ir.StringValue, value.nullif("").nullif("NULL"))
