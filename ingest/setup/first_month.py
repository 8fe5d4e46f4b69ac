"""Chooses the month of the bill that a first run pulls: the newest whole one that is there."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterator
from datetime import UTC, date, datetime

from ingest.paid_requests.ledger import RequestLedger
from ingest.paid_requests.response_cache import open_cache
from ingest.source import ALL, FetchContext, Source, Window
from ingest.sources import configured
from models.config.settings import Settings
from models.engine.warehouse.lock import lock
from models.raw.zone import RawZone

EXPORTS = ("focus", "cur2")
"""Kinds whose files name their month, and are listed without being read."""


def first_month(settings: Settings) -> str | None:
    """Returns the bill's newest whole month (`YYYY-MM`), else the one under way; None if none.

    It is `all` where no file of the bill is in the folder of a month.
    Cost Explorer, which has thirteen months and bills each request, is not asked: last month.
    Raises what a source raises that cannot be listed.
    """
    today = settings.as_of or datetime.now(UTC).date()
    found = sorted(set(_months(settings, today)))
    whole = [month for month in found if month < f"{today:%Y-%m}"]
    return next(reversed(whole or found), None)


def window_of(month: str) -> Window:
    """Returns the range of a month's days (`YYYY-MM`), both ends included; of `all` no limits."""
    if month == ALL:
        return Window()
    year, number = (int(part) for part in month.split("-"))
    return Window(date(year, number, 1), date(year, number, monthrange(year, number)[1]))


def _months(settings: Settings, today: date) -> Iterator[str]:
    for source in configured(settings):
        if source.group == "cost" and settings.cost.source in (source.name, source.kind):
            yield from _listed(source, settings) if source.kind in EXPORTS else (_before(today),)


def _listed(source: Source, settings: Settings) -> Iterator[str]:
    ledger = RequestLedger(settings.data, settings.cost.api_budget_usd_per_day)
    cache = open_cache(settings.data, "init", {})
    context = FetchContext(RawZone(settings.data / "raw"), ledger, cache)
    with lock(settings.data, purpose="init"):
        yield from {batch.period for batch in source.fetch(context)}


def _before(today: date) -> str:
    year, month = (today.year, today.month - 1) if today.month > 1 else (today.year - 1, 12)
    return f"{year}-{month:02d}"
