"""What each feed last brought and said, what asking cost today, and what deliveries changed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from models.config.settings import Settings
from models.engine.context import BuildContext
from models.engine.contract_tables import fill
from models.engine.inputs import delivered_days
from models.raw import feeds, restatements
from models.raw.zone import Delivery

LEDGER = "requests.jsonl"
FILLED = ("requested", "noticed", "feeds", "delivered")


def fill_feed_history(context: BuildContext) -> None:
    """What each feed last brought and said, and what asking cost today."""
    backend, settings = context.backend, context.settings
    fill(backend, "requested", list(_requested(settings.data / LEDGER)))
    fill(backend, "noticed", list(_noticed(settings.data / feeds.FILE)))
    told = feeds.rows(settings.data, settings)
    fill(backend, "feeds", told)
    pulled = {row["source"]: row["last_success"] for row in told if row["last_success"]}
    days = delivered_days.delivered_days(context)
    fill(
        backend,
        "delivered",
        [
            day._asdict() | {"pulled_at": max(day.pulled_at, pulled.get(day.source, day.pulled_at))}
            for day in days
        ],
    )


def fill_restated(context: BuildContext) -> None:
    """What each of all deliveries changed of the one before, whether or not it counts now."""
    restated = _restated(context.deliveries, context.settings)
    fill(context.backend, "restated", list(restated))


def _requested(ledger: Path) -> Iterator[dict[str, Any]]:
    """Today's paid requests, as `ingest` recorded them before sending each.

    Today is the clock's, as the ledger and the daily cap have it: AWS bills whoever asks now,
    whatever day `as_of` pins.
    """
    today = datetime.now(UTC).date()
    for entry in _read(ledger):
        if date.fromisoformat(entry["at"][:10]) == today:
            yield {
                "source": entry["source"],
                "account": entry["account"],
                "dollars": Decimal(entry["dollars"]),
            }


def _restated(every: Iterable[Delivery], settings: Settings) -> Iterator[dict[str, Any]]:
    counted = {d.key.source for d in every if settings.cost.source in (d.key.source, d.format)}
    for change in restatements.changes(every, settings.cost.settle_days):
        yield vars(change) | {
            "pulled_at": change.pulled_at.replace(tzinfo=None),
            "counted": change.source in counted,
        }


def _noticed(journal: Path) -> Iterator[dict[str, Any]]:
    """What each source's last pull told of what it brought, where it told anything."""
    last = {entry["source"]: entry["notices"] for entry in _read(journal) if "notices" in entry}
    for source, told in last.items():
        if told:
            yield {"source": source, "notice": "; ".join(told)}


def _read(file: Path) -> Iterator[dict[str, Any]]:
    """The lines of an append-only file; a crash can tear the last one, which then says nothing."""
    if file.is_file():
        for line in file.read_bytes().splitlines():
            with suppress(ValueError):
                yield json.loads(line)
