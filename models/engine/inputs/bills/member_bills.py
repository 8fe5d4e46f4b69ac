"""Lists the member accounts that have a bill of their own from Cost Explorer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from models.engine.context import BuildContext


def member_bills(context: BuildContext) -> Iterator[dict[str, Any]]:
    """Lists member accounts whose bills are from Cost Explorer; none without a configured payer.

    A member is any account but `organization.payer`.
    """
    payer = context.settings.organization.payer
    billed = {d.key.unit for d in context.bills if d.format == "cost_explorer"}
    for account in sorted(billed - {payer}) if payer else ():
        yield {"billing_account": account}
