"""Blank text and the text `NULL` mean null: AWS and its users write both for "no value"."""

from __future__ import annotations

from typing import cast

import ibis.expr.types as ir


def null_if_blank(value: ir.Value) -> ir.StringValue:
    """Returns the text, or null where it is empty or the word `NULL` (in capitals)."""
    return cast(ir.StringValue, value.nullif("").nullif("NULL"))
