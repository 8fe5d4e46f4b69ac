"""Describes what a month was computed from, config and deliveries, for its close; reads it back."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from models.config.loading import validated_settings
from models.config.settings import Settings
from models.contract.errors import CloseError
from models.contract.safe_text import without_credentials
from models.raw import atomic_files
from models.raw.delivery import Delivery
from models.records.closes import Delivered

NOT_FROZEN = {
    *("warehouse", "files", "schedule", "notice", "raw", "recipients", "smtp", "alerts", "digest"),
    *("serve", "auth", "access"),
}
"""Tables of the config that are not stored: paths, times and people, which change no number."""
NOT_FROZEN_OF = {
    "cost": {"api_budget_usd_per_day"},
    "sources": {"schedule"},
    "organization": {"role_arn", "external_id"},
    "accounts": {"role_arn", "external_id"},
}
"""Keys of stored tables that are not stored either: what pulls may cost, when and as whom."""
MONTHLY = {"as_of", "invoices"}
"""Keys of the config that change every month, without effect on figures of other months."""


def frozen(settings: Settings) -> dict[str, Any]:
    """Returns the part of the config that numbers depend on, as a dictionary to store with a close.

    `as_of` is set to today, so that the same day is used when the month is computed again. User and
    password of a source's URL are left out: a close is kept for years, and in every backup.
    """
    config = settings.model_dump(mode="json", by_alias=True, exclude=NOT_FROZEN)
    stored = {name: without(each, NOT_FROZEN_OF.get(name, ())) for name, each in config.items()}
    return {**_without_credentials(stored), "as_of": f"{settings.today}"}


def without(table: Any, keys: Collection[str]) -> Any:  # noqa: ANN401 - JSON
    """Returns a table of the config, or a list of tables, without the given keys."""
    if isinstance(table, Mapping):
        return {name: each for name, each in table.items() if name not in keys}
    return [without(each, keys) for each in table] if isinstance(table, list) else table


def _without_credentials(value: Any) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, dict):
        return {name: _without_credentials(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_without_credentials(each) for each in value]
    return without_credentials(value) if isinstance(value, str) else value


def thawed(config: Mapping[str, Any], settings: Settings) -> Settings:
    """Returns the settings that a closed month was computed with, but today's warehouse path."""
    here = {"warehouse": {"path": str(settings.warehouse_file)}}
    held = {name: each for name, each in config.items() if name not in NOT_FROZEN}
    return validated_settings({**held, **here}, home=settings.home, where="the closed config")


def known_to(held: Mapping[str, object], config: Mapping[str, object]) -> dict[str, object]:
    """Returns today's config reduced to the tables and keys stored with an earlier close (`held`).

    A setting that came with a later edition is no change that somebody made.
    """
    return {name: _like(old, config[name]) for name, old in held.items() if name in config}


def _like(old: object, new: object) -> object:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        return {name: _like(value, new[name]) for name, value in old.items() if name in new}
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return [_like(was, now) for was, now in zip(old, new, strict=True)]
    return new


def changed_tables(old: Mapping[str, object], new: Mapping[str, object]) -> list[str]:
    """Lists names of config tables that differ from those stored with a close, except `MONTHLY`.

    What is no longer stored with a close, but was with this one, changes no number.
    """
    names = {*old, *new} - MONTHLY - (NOT_FROZEN - {*new})
    return sorted(name for name in names if _still_stored(name, old, new) != new.get(name))


def _still_stored(name: str, old: Mapping[str, object], new: Mapping[str, object]) -> object:
    """Returns a config table stored with a close, without keys that breakeven no longer stores."""
    now = new.get(name)
    tables = now if isinstance(now, list) else [now]
    known = {key for table in tables if isinstance(table, Mapping) for key in table}
    return without(old.get(name), NOT_FROZEN_OF.get(name, set()) - known)


def named(delivery: Delivery) -> Delivered:
    """Returns a dict of a delivery for a close: key, ID, format, time, rows, hash, totals."""
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
    """Returns the delivery that a close names; `CloseError` if its files are gone or changed."""
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
