"""Says that nothing has moved to Trainium yet, in the same words on pages and in documents."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from models.contract.rules.not_moved_yet import NOT_MOVED_YET
from models.records.statement import Row

NOT_STARTED = "Nothing has moved to Trainium yet, and nothing has been invested."


def invested_so_far(invested: Decimal | None, dollars: Callable[[Decimal | None], str]) -> str:
    """Returns a sentence: dollars invested before the first production run has settled."""
    if invested is None:
        spent = "How much has been invested in moving to Trainium is not known yet"
    elif invested >= 0:
        spent = f"{dollars(invested)} has been invested in moving to Trainium"
    else:
        spent = f"Funding is {dollars(-invested)} more than was invested in moving to Trainium"
    return f"{spent}; no production run has settled yet, so nothing is recovered."


def nothing_moved(whole: Row, dollars: Callable[[Decimal | None], str]) -> str:
    """Returns a sentence that nothing had moved to Trainium by a month's end; else empty.

    Empty where something had moved, or where the month has dollars all the same: upkeep, or
    adjustments of closed months.
    """
    status, invested = whole.get("status"), whole.get("cumulative_investment")
    if status not in NOT_MOVED_YET or whole["net_saving"] != 0 or whole["adjustments"] != 0:
        return ""
    if status == "not_started":
        return NOT_STARTED
    return invested_so_far(invested, dollars)
