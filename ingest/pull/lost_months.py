"""Refuses a bill that lacks a month which its previous delivery had.

A folder of files without manifests is one delivery of all its months
(`ingest.sources.bill.data_exports`). If somebody moved a month's file away, that month would cost
$0 while its epochs stay, and the saving would grow by its whole cost (METHOD §4.1).
"""

from __future__ import annotations

from ingest.source import ALL
from models import formats
from models.contract.errors import InputError
from models.raw.delivery import Delivery, Totals
from models.raw.staging import Staging
from models.raw.zone import RawZone


def refuse_lost_months(zone: RawZone, staging: Staging, totals: Totals, format_name: str) -> None:
    """Raises `InputError` if a bill delivered whole lacks a month of its previous delivery."""
    key = staging.key
    live = zone.current(key)
    if live is None or key.period != ALL or formats.named(format_name).VIEW != "charges":
        return
    lost = sorted(_months(live.totals) - _months(totals))
    if lost:
        raise InputError(
            f"{key.source}: {key.unit} no longer has any line of {', '.join(lost)}, but a bill "
            "never loses a month",
            value=_missing(live, staging),
            remedy="put the file back: what is live counts until then; if this is another "
            "bill, give its [[sources]] another `name` and set cost.source to that",
        )


def _months(totals: Totals) -> set[str]:
    return {account.rpartition("|")[2] for account in totals}


def _missing(live: Delivery, staging: Staging) -> str:
    """Says which file of the live delivery is gone, and how many more, or that none is."""
    here = {file.origin for file in staging.files}
    gone = sorted({file.origin for file in live.files} - here)
    if not gone:
        return "the same files hold fewer months"
    others = f" and {len(gone) - 1} more are gone" if gone[1:] else " is gone"
    return f"{gone[0]}{others}"
