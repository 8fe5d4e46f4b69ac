"""The same bill is not counted twice: two exports under one source name must not share a month.

Two feeds hold the same money when they hold the same billing account, sub-account and month.
Feeds under different source names are never added up (`cost.source` picks one), so only the
deliveries of one source are compared.
"""

from __future__ import annotations

from ingest.source import ALL
from models import formats, intake
from models.errors import InputError
from models.raw import Delivery, RawZone, Staging, Totals


def refuse(zone: RawZone, staging: Staging, totals: Totals, format_name: str) -> None:
    """Raises `InputError` if another live delivery already holds some of this money."""
    key = staging.key
    if formats.named(format_name).VIEW != "charges":
        return
    for other in zone.live():
        same_bill = other.key.source == key.source and other.key != key
        shared = set(totals) & set(other.totals) if same_bill else set()
        if shared and _meet(staging, other, shared, format_name):
            raise InputError(
                f"{key.source}: {key.unit} and {other.key.unit} hold the same bill",
                value=f"account {min(shared)}, {key.period}",
                remedy="deliver only one, or give one another `name`; the older one lies in "
                f"{other.folder.parents[1]}",
            )


def _meet(staging: Staging, other: Delivery, shared: set[str], format_name: str) -> bool:
    if ALL not in (staging.key.period, other.key.period):
        return staging.key.period == other.key.period
    ours = intake.months([staging.folder / f.name for f in staging.files], format_name)
    theirs = intake.months(other.paths, other.format)
    return any(account in shared for account, _ in ours & theirs)
