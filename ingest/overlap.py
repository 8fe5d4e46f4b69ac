"""The same bill is not counted twice: two exports under one source name must not share a month.

Two feeds hold the same money when they hold the same billing account, sub-account and month.
`cost.source` picks by name or by format what is added up: that, and what stands under one name,
is compared.
"""

from __future__ import annotations

from ingest.source import ALL
from models import formats, intake
from models.errors import InputError
from models.raw import Delivery, RawZone, Staging, Totals


def refuse(zone: RawZone, staging: Staging, totals: Totals, format_name: str, source: str) -> None:
    """Raises `InputError` if another live delivery already holds some of this money.

    `source` is `cost.source`.
    """
    key = staging.key
    if formats.named(format_name).VIEW != "charges":
        return
    counted = source in (key.source, format_name)
    for other in zone.live():
        both = counted and source in (other.key.source, other.format)
        beside = other.key != key and (both or other.key.source == key.source)
        shared = set(totals) & set(other.totals) if beside else set()
        if shared and _meet(staging, other, shared, format_name):
            raise InputError(
                f"{key.source}: {key.unit} and {other.key.unit} hold the same bill",
                value=f"account {min(shared)}, {key.period}",
                remedy="deliver only one, or set cost.source to the `name` of one; "
                f"the older lies in {other.folder.parents[1]}",
            )


def _meet(staging: Staging, other: Delivery, shared: set[str], format_name: str) -> bool:
    if ALL not in (staging.key.period, other.key.period):
        return staging.key.period == other.key.period
    ours = intake.months([staging.folder / f.name for f in staging.files], format_name)
    theirs = intake.months(other.paths, other.format)
    return any(account in shared for account, _ in ours & theirs)
