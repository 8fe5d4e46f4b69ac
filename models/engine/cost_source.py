"""Which live deliveries money comes from: those of `cost.source` (METHOD §2)."""

from __future__ import annotations

from collections.abc import Iterable

from models.config.settings import Settings
from models.contract.errors import MissingDataError
from models.engine.reduction import delivered_files
from models.raw.delivery import Delivery


def bills(live: Iterable[Delivery], settings: Settings) -> list[Delivery]:
    """The bills among `live` that `cost.source` names, by a source's name or by its format.

    Raises `MissingDataError` where there is none.
    """
    found = bills_if_any(live, settings)
    if not found:
        raise MissingDataError(
            "no bill was delivered by cost.source",
            value=settings.cost.source,
            remedy="run `breakeven ingest`, or set cost.source to a source that brings charges",
        )
    return found


def bills_if_any(live: Iterable[Delivery], settings: Settings) -> list[Delivery]:
    """The bills among `live` that `cost.source` names; an empty list before the first."""
    return [
        delivery
        for delivery in live
        if settings.cost.source in (delivery.key.source, delivery.format)
        and delivered_files.view_of(delivery) == "charges"
    ]
