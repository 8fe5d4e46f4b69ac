"""Recognises commitments that the bill names only by kind, without an id (METHOD §2.11)."""

from __future__ import annotations

from typing import cast

import ibis.expr.types as ir

ANY_OF = "any of the "
"""Begins the name of all of a payer's commitments of one kind, where the bill tells them not apart.

No id of AWS begins so."""


def is_kind(commitment: ir.StringValue) -> ir.BooleanValue:
    """Returns the condition that a commitment is named by kind only: Cost Explorer gives no id."""
    return cast(ir.BooleanValue, commitment.startswith(ANY_OF).fill_null(False))
