"""Pulls sources: fetches, checks and seals each delivery; a failed one leaves nothing behind.

A source that fails does not stop the others, nor a damaged month its neighbours; the report says
what failed. A crash at any point leaves the last good state: a delivery exists from the moment its
marker does, and the next pull removes everything else.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from hashlib import sha256

from ingest import sources
from ingest.aws import accounts, organization
from ingest.paid_requests import response_cache
from ingest.paid_requests.ledger import RequestLedger
from ingest.pull import double_counting, journal, lost_months
from ingest.pull.emptier_answers import is_emptier
from ingest.pull.report import Report, Result, Step, Tell
from ingest.source import Batch, FetchContext, Source, Window, cron
from models import formats
from models.config.refusals.unknown_keys import nearest
from models.config.settings import Settings
from models.contract.errors import (
    BreakevenError,
    ConfigError,
    InputError,
    SourceError,
    StorageError,
)
from models.engine.warehouse.lock import lock
from models.formats import FORMATS
from models.intake import delivery_checks
from models.intake.concurrent_checks import ConcurrentChecks, concurrent_checks
from models.raw import restated_totals
from models.raw.delivery import Delivery
from models.raw.delivery_key import Key
from models.raw.pulls.pull_journal import Feed, failing_since, pulled_whole
from models.raw.zone import RawZone
from models.records.closes import Closes

RAW = "raw"


def pull(
    settings: Settings,
    names: Iterable[str] = (),
    window: Window = Window(),  # noqa: B008 - immutable
    *,
    tell: Tell | None = None,
    wait: float = 0,
) -> Report:
    """Pulls the named sources, or all, and returns a report of what they delivered.

    Raises `ConfigError`, `BusyError`, `StorageError`; other failures are in the report. `wait` is
    how many seconds to wait for another writer, -1 for ever.
    """
    names = tuple(names)
    sources.named_sources(settings, names)  # a mistaken config is reported before any request
    _refuse_no_bill(settings)
    with lock(settings.data, purpose="ingest", wait=wait), concurrent_checks() as checks:
        zone = RawZone(settings.data / RAW)
        zone.sweep(timedelta(days=settings.raw.keep_days), Closes(settings.data).named())
        response_cache.remove_expired(settings.data)
        settings, unlisted = _with_organization(settings, names)
        before = failing_since(settings.data), pulled_whole(settings.data)
        this = _Pull(settings, zone, checks, window, tell, *before)
        chosen = sources.named_sources(settings, names)
        if not unlisted:
            asked = names or {source.name for source in chosen}
            journal.record_removed(settings.data, asked, chosen)
        return Report((*unlisted, *(this.pull_source(source) for source in chosen)))


def _refuse_no_bill(settings: Settings) -> None:
    """Raises `ConfigError` if `cost.source` names neither a format of bills nor a source of one.

    A source that was removed from the config, but has delivered a bill, still counts.
    """
    money_source = settings.cost.source
    bills = {form.NAME for form in FORMATS if form.VIEW == "charges"}
    named = {entry.label for entry in settings.sources if entry.kind in bills}
    live = RawZone(settings.data / RAW).live(*bills)
    if money_source in bills | named | {delivery.key.source for delivery in live}:
        return
    known = sorted(bills | named)
    close = nearest(money_source, known)
    choices = f"it is one of {', '.join(known)}"
    raise ConfigError(
        "cost.source names no source that brings a bill",
        value=money_source,
        remedy=f"{close} {choices}" if close.startswith("did") else choices,
    )


def _with_organization(settings: Settings, names: tuple[str, ...]) -> tuple[Settings, list[Result]]:
    """Returns settings with the organisation's accounts if a source needs them, and any failure."""
    try:
        return organization.with_all_members(settings, names), []
    except BreakevenError as error:
        return settings, [Result("organization", "organization", errors=[error])]


@dataclass
class _Pull:
    """One pull of sources that is under way, and what its sources share."""

    settings: Settings
    zone: RawZone
    checks: ConcurrentChecks
    window: Window
    tell: Tell | None
    failing_since: dict[Feed, datetime]
    pulled_whole: dict[Feed, datetime]
    offered: dict[Key, Source] = field(default_factory=dict)
    noticed: set[str] = field(default_factory=set)
    """Notices about the ledger that another source reported already."""

    def pull_source(self, source: Source) -> Result:
        """Pulls one source, records it in the journal, and returns what came and what failed."""
        ledger = RequestLedger(self.settings.data, self.settings.cost.api_budget_usd_per_day)
        whose = accounts.account_and_region(source.options)
        result = Result(source.name, source.kind, source.location, *whose)
        when = cron(source, self.settings)
        record = journal.PullRecord(self.settings.data, source, self.window, when, result.whose)
        context = FetchContext(
            self.zone,
            ledger,
            self._open_cache(source),
            self.window,
            notices=result.notices,
            failing_since=self.failing_since.get(record.feed),
            pulled_whole=self.pulled_whole.get(record.feed),
        )
        record.begin()
        try:
            for batch in self._announced(source, source.fetch(context)):
                self._refuse_twice(source, batch)
                self._deliver(source, batch, result)
        except StorageError:
            raise  # a full disk fails every source: say so once
        except BreakevenError as error:
            result.errors.append(error)
        if not any(isinstance(error, SourceError) for error in result.errors):
            context.cache.clear()  # what AWS said is delivered, or was not fit to be
        whom = accounts.account_label(source.options, self.settings)
        result.errors = [failure.prefixed(whom) for failure in result.errors]
        result.unchanged += len(context.unchanged)
        result.notices += [note for note in ledger.notices if note not in self.noticed]
        self.noticed.update(ledger.notices)
        result.requests = len(ledger.made)
        result.dollars = sum((Decimal(paid.dollars) for paid in ledger.made), Decimal(0))
        record.end(result.counts())
        return result

    def _open_cache(self, source: Source) -> response_cache.ResponseCache:
        """Opens a source's response cache; empty unless an equal pull was interrupted before."""
        mark = sha256(f"{source.name} {source.location}".encode()).hexdigest()[:12]
        about = {
            "window": str(self.window),
            "today": str(self.settings.today),
            "tags": self.settings.tags.model_dump_json(),
            "money": self.settings.cost.source,
        }
        return response_cache.open_cache(self.settings.data, f"{source.kind}-{mark}", about)

    def _announced(self, source: Source, batches: Iterable[Batch]) -> Iterator[Batch]:
        """Yields the deliveries of a source, reporting each before it is fetched."""
        total = operator.length_hint(batches, 0)
        for done, batch in enumerate(batches):
            if self.tell:
                whose = accounts.account_label(source.options, self.settings)
                self.tell(Step(source.name, batch.unit, batch.period, done, total, whose))
            yield accounts.with_account_in_key(source.options, batch)

    def _refuse_twice(self, source: Source, batch: Batch) -> None:
        """Raises `InputError` where two `[[sources]]` of one name deliver under the same key.

        Their deliveries would replace each other at every pull.
        """
        key = Key(source.name, batch.unit, batch.period)
        other = self.offered.setdefault(key, source)
        if other is not source:
            raise InputError(
                f"{source.name}: {other.location} and {source.location} both deliver",
                value=batch.unit,
                remedy="give one of the two [[sources]] another `name`",
            )

    def _deliver(self, source: Source, batch: Batch, result: Result) -> None:
        """Checks and seals one delivery; counts it, or records damaged input as an error."""
        try:
            sealed = self._seal(source, batch)
        except InputError as error:
            result.errors.append(error)
            return
        result.unchanged += sealed is None
        result.new += sealed is not None
        result.rows += sealed.rows if sealed else 0
        if sealed:
            self._compare(sealed, result)

    def _compare(self, sealed: Delivery, result: Result) -> None:
        """Adds to a source's result which months' bill totals and accounts a delivery changed."""
        *before, new = self.zone.history(sealed.key)[-2:]
        result.restated += restated_totals.changes([*before, new], self.settings.cost.settle_days)
        for old in before:
            result.notices += lost_months.lost_accounts(old, new)

    def _seal(self, source: Source, batch: Batch) -> Delivery | None:
        """Fetches, checks and seals a delivery; None where the same, or more, is live already."""
        key, form = Key(source.name, batch.unit, batch.period), batch.format or source.format
        with self.zone.staging(key) as staging, self.checks.checking(staging, form) as early:
            bill = formats.named(form).VIEW == "charges"
            staging.most_rows = self.settings.raw.most_rows(bill=bill)
            batch.fill(staging)
            if not batch.again and (same := staging.unchanged(append=source.append)):
                staging.confirm(same)
                return None
            if is_emptier(staging, form):
                return None
            totals = delivery_checks.check_delivery(staging, form, empty=batch.empty, early=early)
            lost_months.refuse_lost_months(self.zone, staging, totals, form)
            double_counting.refuse_double_counting(
                self.zone, staging, totals, form, self.settings.cost.source
            )
            return staging.seal(form, totals=totals, append=source.append)
