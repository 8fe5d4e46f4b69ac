"""Selects the delivery of allocations that counts for each cluster and UTC day."""

from __future__ import annotations

from collections.abc import Iterable

from models.engine.reduction import delivered_files
from models.formats.allocations import stated
from models.raw.delivery import Delivery

VIEW = "allocations"


def counted_deliveries(live: Iterable[Delivery]) -> list[Delivery]:
    """Returns the one delivery that counts for each cluster and day, in order of both.

    The key of a delivery names the cluster (`unit`) and the day (`period`). A statement
    (`[[sources]] kind = "allocations"`) wins over what any other source observed; of two alike the
    one pulled last counts.
    """
    counted: dict[tuple[str, str], Delivery] = {}
    mine = (each for each in live if delivered_files.view_of(each) == VIEW)
    for delivery in sorted(mine, key=_rank):
        counted[delivery.key.unit, delivery.key.period] = delivery
    return [counted[key] for key in sorted(counted)]


def _rank(delivery: Delivery) -> tuple[bool, object, str]:
    return delivery.format == stated.NAME, delivery.pulled_at, delivery.id
