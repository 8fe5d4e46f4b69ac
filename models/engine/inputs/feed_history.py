"""Writes the history of each source: pulls, notices, delivered days, requests, restatements."""

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
from models.engine.inputs.bills import delivered_days
from models.engine.inputs.paid_requests import LEDGER
from models.raw import restated_totals
from models.raw.pulls import feed_table, pull_journal

FILLED = ("paid_requests", "pull_notices", "feeds", "delivered_days")


def fill_feed_history(context: BuildContext) -> None:
    """Writes the tables on sources: last pulls, notices, delivered days, today's paid requests."""
    backend = context.backend
    fill(backend, "paid_requests", list(paid_requests_today(context)))
    fill(backend, "pull_notices", list(pull_notices(context)))
    latest = feed_rows(context)
    fill(backend, "feeds", latest)
    pulled = {row["source"]: row["last_success"] for row in latest if row["last_success"]}
    days = delivered_days.delivered_days(context)
    fill(
        backend,
        "delivered_days",
        [
            day._asdict() | {"pulled_at": max(day.pulled_at, pulled.get(day.source, day.pulled_at))}
            for day in days
        ],
    )


def fill_restated_totals(context: BuildContext) -> None:
    """Writes `restated_totals`: monthly bill totals that a later delivery changed.

    It runs after the reduction and before the marts.
    """
    fill(context.backend, "restated_totals", list(changed_totals(context)))


def feed_rows(context: BuildContext) -> list[dict[str, Any]]:
    """Returns a row per configured source: last pull and success, whether it is stale, and why."""
    return feed_table.feed_rows(context.settings.data, context.settings)


def paid_requests_today(context: BuildContext) -> Iterator[dict[str, Any]]:
    """Lists today's paid AWS requests (UTC), from the ledger that `ingest` writes.

    Today is the day by the clock, as for the ledger and the daily cap, even where `as_of` is set:
    AWS bills each request when it is sent.
    """
    today = datetime.now(UTC).date()
    for entry in _read(context.settings.data / LEDGER):
        if date.fromisoformat(entry["at"][:10]) == today:
            yield {
                "source": entry["source"],
                "account": entry["account"],
                "dollars": Decimal(entry["dollars"]),
            }


def changed_totals(context: BuildContext) -> Iterator[dict[str, Any]]:
    """Lists the monthly account totals that a delivery of the bill changed from the one before.

    Changes in sources that no longer count as the bill are listed as well, with `counted` false.
    """
    settings, every = context.settings, context.deliveries
    counted = {d.key.source for d in every if settings.cost.source in (d.key.source, d.format)}
    for change in restated_totals.changes(every, settings.cost.settle_days):
        yield vars(change) | {
            "pulled_at": change.pulled_at.replace(tzinfo=None),
            "counted": change.source in counted,
        }


def pull_notices(context: BuildContext) -> Iterator[dict[str, Any]]:
    """Returns a row per source whose last completed pull has notices, joined by `; `."""
    journal = _read(context.settings.data / pull_journal.JOURNAL_FILE)
    last = {entry["source"]: entry["notices"] for entry in journal if "notices" in entry}
    for source, notices in last.items():
        if notices:
            yield {"source": source, "notice": "; ".join(notices)}


def _read(file: Path) -> Iterator[dict[str, Any]]:
    """Parses a file of JSON lines and skips invalid lines; yields nothing without the file."""
    if file.is_file():
        for line in file.read_bytes().splitlines():
            with suppress(ValueError):
                yield json.loads(line)


TABLES: dict[str, Callable[..., Any]] = {
    "paid_requests": paid_requests_today,
    "pull_notices": pull_notices,
    "feeds": feed_rows,
    "delivered_days": delivered_days.delivered_days,
    "restated_totals": changed_totals,
}
"""Each table and the function that makes its rows."""
