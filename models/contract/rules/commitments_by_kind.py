"""The name of a commitment of which the bill says the kind only (METHOD §2.6)."""

from __future__ import annotations

from typing import cast

import ibis.expr.types as ir

ANY_OF = "any of the "
"""Begins the name of all of a payer's commitments of one kind, where the bill tells them not apart.

No id of AWS begins so."""


def is_kind(commitment: ir.StringValue) -> ir.BooleanValue:
    """Tells whether a commitment's name is that of a kind, not of one commitment."""
    return cast(ir.BooleanValue, commitment.startswith(ANY_OF).fill_null(False))
