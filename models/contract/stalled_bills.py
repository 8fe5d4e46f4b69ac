"""Words about a billing account whose bill has stalled, and what its reader can do about it.

The functions take text, or columns of text: `+` joins both.
"""

from __future__ import annotations

from datetime import date
from typing import TypeVar

import ibis.expr.types as ir

Words = TypeVar("Words", str, ir.StringValue)

AGAIN = "deliver its export again"


def undelivered(
    account: ir.StringValue, newest: ir.StringValue, but: ir.StringValue
) -> ir.StringValue:
    """Says that nothing newer was delivered, with the remedy; `but` is put in after the account."""
    told = "nothing newer was delivered for billing account " + account + but
    return told + f": {AGAIN} or, " + ended(newest) + " in [[accounts]]"


def undelivered_at_close(account: str, newest: date) -> str:
    """Says the same where a month is to be closed, which an invoice may vouch for as well."""
    return (
        f"nothing newer than {newest} was delivered for billing account {account}: {AGAIN}; if that"
        f" is all, [[invoices]] says what AWS charged, or closed = {newest} in [[accounts]] that "
        "its bill has ended"
    )


def contradicted(closed: Words, newest: Words) -> Words:
    """Says that an account has usage after the day on which the config calls it closed."""
    return "closed = " + closed + " is ignored: its bill has usage until " + newest


def uncontradicted(newest: str) -> str:
    """Says the remedy for a contradicted `closed`."""
    return f"take it out of [[accounts]] or, {ended(newest)}"


def ended(newest: Words) -> Words:
    """Says how the config tells that a bill has ended."""
    return "if its bill has ended, set closed = " + newest
