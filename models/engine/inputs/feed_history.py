"""The history of each feed: last pulls and notices, requests paid today, restatements."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from models.engine.context import BuildContext
from models.engine.contract_tables import fill
from models.engine.inputs import delivered_days
from models.raw import feed_table, pull_journal, restatements

LEDGER = "requests.jsonl"
FILLED = ("requested", "noticed", "feeds", "delivered")


def fill_feed_history(context: BuildContext) -> None:
    """Fills the tables of what each feed last brought and reported, and what asking cost today."""
    backend = context.backend
    fill(backend, "requested", list(requested(context)))
    fill(backend, "noticed", list(noticed(context)))
    latest = feed_rows(context)
    fill(backend, "feeds", latest)
    pulled = {row["source"]: row["last_success"] for row in latest if row["last_success"]}
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
    """Fills `restated`; after the reduction, before the marts."""
    fill(context.backend, "restated", list(restated(context)))


def feed_rows(context: BuildContext) -> list[dict[str, Any]]:
    """What each feed's last pull did: when it succeeded, what it was refused."""
    return feed_table.feed_rows(context.settings.data, context.settings)


def requested(context: BuildContext) -> Iterator[dict[str, Any]]:
    """The paid requests of today, as `ingest` recorded them before sending each.

    Today is the clock's, as the ledger and the daily cap have it: AWS bills whoever asks now,
    whatever day `as_of` pins.
    """
    today = datetime.now(UTC).date()
    for entry in _read(context.settings.data / LEDGER):
        if date.fromisoformat(entry["at"][:10]) == today:
            yield {
                "source": entry["source"],
                "account": entry["account"],
                "dollars": Decimal(entry["dollars"]),
            }


def restated(context: BuildContext) -> Iterator[dict[str, Any]]:
    """What each delivery changed of the one before it, whether or not it counts now."""
    settings, every = context.settings, context.deliveries
    counted = {d.key.source for d in every if settings.cost.source in (d.key.source, d.format)}
    for change in restatements.changes(every, settings.cost.settle_days):
        yield vars(change) | {
            "pulled_at": change.pulled_at.replace(tzinfo=None),
            "counted": change.source in counted,
        }


def noticed(context: BuildContext) -> Iterator[dict[str, Any]]:
    """The notices of each source's last pull about what it brought, where there are any."""
    journal = _read(context.settings.data / pull_journal.JOURNAL_FILE)
    last = {entry["source"]: entry["notices"] for entry in journal if "notices" in entry}
    for source, notices in last.items():
        if notices:
            yield {"source": source, "notice": "; ".join(notices)}


def _read(file: Path) -> Iterator[dict[str, Any]]:
    """The lines of an append-only file; a crash can tear the last one, which then says nothing."""
    if file.is_file():
        for line in file.read_bytes().splitlines():
            with suppress(ValueError):
                yield json.loads(line)


TABLES: dict[str, Callable[..., Any]] = {
    "requested": requested,
    "noticed": noticed,
    "feeds": feed_rows,
    "delivered": delivered_days.delivered_days,
    "restated": restated,
}
"""Each table and the function that makes its rows."""
