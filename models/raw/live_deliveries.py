"""Selects the deliveries in force: each key's newest, and those appended to it since."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from models.raw.delivery import Delivery
from models.raw.delivery_key import Key


def live_deliveries(deliveries: Iterable[Delivery]) -> list[Delivery]:
    """Lists the deliveries in force, sorted by key: newest full one, and appended ones since.

    `deliveries` are given oldest first. Of a format that appends, each content counts once, until a
    later delivery that does not append replaces all of them.
    """
    newest: dict[Key, dict[str, Delivery]] = {}
    for delivery in deliveries:
        of_key = newest.setdefault(delivery.key, {})
        if not delivery.append:
            of_key.clear()  # deliveries that were appended under this key before, too
        of_key[delivery.fingerprint] = delivery
    found = (delivery for of_key in newest.values() for delivery in of_key.values())
    return sorted(found, key=lambda d: (d.key, d.pulled_at, d.id))


def superseded_deliveries(deliveries: Iterable[Delivery]) -> Iterator[tuple[Delivery, Delivery]]:
    """Yields (replaced, newer) pairs of deliveries of one key; without appended ones.

    `deliveries` are given oldest first.
    """
    newest: dict[Key, Delivery] = {}
    for delivery in deliveries:
        if not delivery.append:
            if delivery.key in newest:
                yield newest[delivery.key], delivery
            newest[delivery.key] = delivery
