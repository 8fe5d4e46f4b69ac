"""Words messages on bills that stopped, or went on after their `closed` day, and the remedies.

The functions take text or columns of text, because `+` joins both.
"""

from __future__ import annotations

from datetime import date
from typing import TypeVar

import ibis.expr.types as ir

Words = TypeVar("Words", str, ir.StringValue)

AGAIN = "deliver its export again"
NAMELESS = "no account"
"""What a bill is called whose lines name no billing account; [[accounts]] has none of the name."""
NAMED = "once its lines name a billing account"


def undelivered(
    account: ir.StringValue, newest: ir.StringValue, but: ir.StringValue
) -> ir.StringValue:
    """Returns a text column: nothing newer was delivered of an account's bill, and the remedy.

    `but` is inserted after the account.
    """
    problem = "nothing newer was delivered for billing account " + account + but
    return problem + f": {AGAIN} or, " + ended(newest) + " in [[accounts]]"


def undelivered_at_close(account: str, newest: date) -> str:
    """Returns the text that a month cannot close, because an account's bill stopped; with remedies.

    An entry in `[[invoices]]` is named as a remedy as well.
    """
    once = f", {NAMED}," if account == NAMELESS else ""
    return (
        f"nothing newer than {newest} was delivered for {_bill_of(account)}: {AGAIN}; if that"
        f" is all, [[invoices]] says what AWS charged, or{once} closed = {newest} in [[accounts]] "
        "that its bill has ended"
    )


def holds_back(account: str, newest: str) -> str:
    """Returns the text that dollars of later days wait for an account's bill; with remedies."""
    once = f" {NAMED}" if account == NAMELESS else ""
    return (
        f"is in no figure and waits for {_bill_of(account)}, without usage after {newest}: "
        f"{AGAIN} or, {ended(newest)} in [[accounts]]{once}"
    )


def _bill_of(account: str) -> str:
    named = account != NAMELESS
    return f"billing account {account}" if named else "the bill without a billing account"


def contradicted(closed: Words, newest: Words) -> Words:
    """Returns text, or a text column: a `closed` day is ignored, as the bill has later usage."""
    return "closed = " + closed + " is ignored: its bill has usage until " + newest


def uncontradicted(newest: str) -> str:
    """Words the remedies where an account is `closed` but its bill has usage until day `newest`."""
    return f"take it out of [[accounts]] or, {ended(newest)}"


def ended(newest: Words) -> Words:
    """Returns the text `if its bill has ended, set closed = …`, of one day or a column of days."""
    return "if its bill has ended, set closed = " + newest
