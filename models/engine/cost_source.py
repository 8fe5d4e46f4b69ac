"""Selects the bill deliveries, not superseded ones, that `cost.source` names (METHOD §2)."""

from __future__ import annotations

from collections.abc import Iterable

from models.config.settings import Settings
from models.contract.errors import MissingDataError
from models.engine.reduction import delivered_files
from models.raw.delivery import Delivery


def bills(live: Iterable[Delivery], settings: Settings) -> list[Delivery]:
    """Returns the live bill deliveries that `cost.source` names; `MissingDataError` if none."""
    found = bills_if_any(live, settings)
    if not found:
        raise MissingDataError(
            "no bill was delivered by cost.source",
            value=settings.cost.source,
            remedy="run `breakeven ingest`, or set cost.source to a source that brings charges",
        )
    return found


def bills_if_any(live: Iterable[Delivery], settings: Settings) -> list[Delivery]:
    """Returns the live bill deliveries that `cost.source` names, as source or format; may be []."""
    return [
        delivery
        for delivery in live
        if settings.cost.source in (delivery.key.source, delivery.format)
        and delivered_files.view_of(delivery) == "charges"
    ]
