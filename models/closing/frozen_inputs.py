"""What a closed month records of its inputs: the config, and each delivery's fingerprint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from models.config.loading import validated_settings
from models.config.settings import Settings
from models.contract.errors import CloseError
from models.raw import atomic_files
from models.raw.delivery import Delivery
from models.records.closes import Delivered

NOT_FROZEN = {"warehouse", "schedule", "notice", "raw", "recipients", "smtp", "alerts"}
"""Of the config: where things lie and when they run moves no number."""


def frozen(settings: Settings) -> dict[str, Any]:
    """Returns the part of the config that numbers come from, as JSON, to be kept with a close.

    `as_of` is set to today, so that the same day is used when the month is computed again.
    """
    config = settings.model_dump(mode="json", by_alias=True, exclude=NOT_FROZEN)
    return config | {"as_of": f"{settings.today}"}


def thawed(config: Mapping[str, Any], settings: Settings) -> Settings:
    """Restores the settings that a closed month was computed with; paths are today's."""
    here = {"warehouse": {"path": str(settings.warehouse_file)}}
    return validated_settings({**config, **here}, home=settings.home, where="the closed config")


def named(delivery: Delivery) -> Delivered:
    """Returns what a closed month records of one delivery: its key, fingerprint and totals."""
    return {
        "source": delivery.key.source,
        "unit": delivery.key.unit,
        "period": delivery.key.period,
        "id": delivery.id,
        "format": delivery.format,
        "pulled_at": delivery.pulled_at.isoformat(),
        "rows": delivery.rows,
        "fingerprint": delivery.fingerprint,
        "totals": {name: dict(sums) for name, sums in delivery.totals.items()},
    }


def unchanged(named: Delivered, every: Mapping[str, Delivery]) -> Delivery:
    """Finds the delivery that a close names, if its files are unchanged; else `CloseError`."""
    called = f"{named['source']} {named['unit']} {named['period']} ({named['id']})"
    found = every.get(str(named["id"]))
    if found is None or not found.present:
        raise CloseError(
            "a delivery that it was computed from is gone",
            value=called,
            remedy="restore raw/ from your backup",
        )
    same = all(atomic_files.sha256(found.folder / file.name) == file.sha256 for file in found.files)
    if not same or found.fingerprint != named["fingerprint"]:
        raise CloseError(
            "a delivery that it was computed from was changed",
            value=called,
            remedy="restore raw/ from your backup",
        )
    return found
