"""Refuses a bill that another delivery already contains, so that no charge counts twice.

Two feeds hold the same money if they hold the same billing account, sub-account and month.
A delivery is compared with others of the same source name and, if `cost.source` counts it, with all
others that it counts, by name or by format.
"""

from __future__ import annotations

from models import formats
from models.contract.errors import InputError
from models.raw.delivery import Totals
from models.raw.staging import Staging
from models.raw.zone import RawZone


def refuse_double_counting(
    zone: RawZone, staging: Staging, totals: Totals, format_name: str, source: str
) -> None:
    """Raises `InputError` if another delivery, counted or of the same source, has the same bill.

    The same is a billing account's month, or a part of it. `source` is the setting `cost.source`.
    """
    key = staging.key
    if formats.named(format_name).VIEW != "charges":
        return
    counted = source in (key.source, format_name)
    for other in zone.live():
        both = counted and source in (other.key.source, other.format)
        competing = other.key != key and (both or other.key.source == key.source)
        shared = set(totals) & set(other.totals) if competing else set()
        if shared:
            raise InputError(
                f"{key.source}: {key.unit} and {other.key.unit} hold the same bill",
                value=f"account {min(shared)}",
                remedy="deliver only one, or set cost.source to the `name` of one; "
                f"the older one is in {other.folder.parents[1]}",
            )
