"""Refuses a bill that lacks a month of its previous delivery; notices accounts that it lost.

A folder of files without manifests is one delivery of all its months
(`ingest.sources.bill.data_exports`). If somebody moved a month's file away, that month would cost
$0 while its epochs stay, and the saving would grow by its whole cost (METHOD §4.1). An account's
month may vanish rightly, where AWS bills it to another account or delivers the month anew: it is
delivered, and told.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal

from ingest.source import ALL
from models import formats
from models.contract.errors import InputError
from models.raw.delivery import Delivery, File, Totals
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
            value=_gone(live.files, staging.files) or "the same files hold fewer months",
            remedy="put the file back: what is live counts until then; if this is another "
            "bill, give its [[sources]] another `name` and set cost.source to that",
        )


def lost_accounts(old: Delivery, new: Delivery) -> Iterator[str]:
    """Yields a notice per month in which accounts have charges in `old` and no line in `new`."""
    lost: dict[str, list[str]] = {}
    for name in sorted(set(old.totals) - set(new.totals)):
        billing, account, month = name.split("|")
        if any(map(Decimal, old.totals[name].values())):
            lost.setdefault(month, []).append(account or billing or "without an id")
    for month, accounts in sorted(lost.items()):
        who = f"account {accounts[0]}" + (f" and {len(accounts) - 1} more" if accounts[1:] else "")
        yield (
            f"{new.key.unit}: no line of {who} is left in {month}, although a bill keeps what an "
            f"account cost before it left: {_gone(old.files, new.files) or 'its files hold less'}"
        )


def _months(totals: Totals) -> set[str]:
    return {account.rpartition("|")[2] for account in totals}


def _gone(old: Iterable[File], new: Iterable[File]) -> str:
    """Returns text: which file of the older delivery is gone and how many more, or ""."""
    gone = sorted({file.origin for file in old} - {file.origin for file in new})
    if not gone:
        return ""
    others = f" and {len(gone) - 1} more are gone" if gone[1:] else " is gone"
    return f"{gone[0]}{others}"
