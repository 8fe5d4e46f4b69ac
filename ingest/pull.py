"""One pull: every source is asked, every delivery is checked and sealed or leaves no trace.

A source that fails never stops the others, nor does a damaged month its neighbours; what failed
is in the report. A crash at any point leaves the last good state: a delivery exists from the
moment its marker does, and everything else is swept by the next pull.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from hashlib import sha256

from ingest import accounts, journal, kept, lost_months, organization, overlap, requests, sources
from ingest.requests import Ledger
from ingest.source import Parcel, Source, Visit, Window
from models.config.settings import Settings, nearest
from models.contract.errors import (
    BreakevenError,
    ConfigError,
    InputError,
    SeveralError,
    SourceError,
    StorageError,
)
from models.engine import warehouse
from models.formats import FORMATS
from models.intake import admission
from models.intake import concurrent_checks as door
from models.intake.concurrent_checks import Door
from models.raw import restatements
from models.raw.restatements import Change
from models.raw.zone import Delivery, Key, RawZone
from models.records.closes import Closes

RAW = "raw"


@dataclass(frozen=True)
class Step:
    """How far a pull has come; `total` is 0 where the source cannot know it beforehand."""

    source: str
    unit: str
    period: str
    done: int
    total: int
    whose: str = ""
    """The account and region, where the config names them."""

    @property
    def feed(self) -> str:
        """Which of the sources it is, for people; of one name there may be many."""
        return f"{self.source} of {self.whose}" if self.whose else self.source

    def __str__(self) -> str:
        """For a log: `focus: export 2026-09 (3 of 13)`."""
        of = f" ({self.done + 1} of {self.total})" if self.total else ""
        return f"{self.feed}: {self.unit} {self.period}{of}"


Tell = Callable[[Step], None]


@dataclass
class Result:
    """What one source brought: counts of deliveries, rows in the new ones, dollars paid.

    `source` is the name in the config, else the kind; it is empty where no one source failed.
    """

    source: str
    kind: str = ""
    location: str = ""
    account: str = ""
    region: str = ""
    new: int = 0
    unchanged: int = 0
    rows: int = 0
    requests: int = 0
    dollars: Decimal = Decimal(0)
    errors: list[BreakevenError] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    restated: list[Change] = field(default_factory=list)

    def __str__(self) -> str:
        """For a log: `cloudwatch of 999900000002 in us-east-1: 1 new, 0 unchanged, …`."""
        place = " in ".join(filter(None, (self.account, self.region)))
        paid = f", {self.paid}" if self.requests else ""
        return f"{self.source}{f' of {place}' if place else ''}: {self.brought}{paid}"

    @property
    def brought(self) -> str:
        """What came, and whether something did not: a source that was refused brought no "0"."""
        came = f"{self.new} new, {self.unchanged} unchanged, {self.rows} rows"
        if not self.errors:
            return came
        return f"{came}, {len(self.errors)} failed" if self.new or self.unchanged else "failed"

    @property
    def paid(self) -> str:
        """`3 paid requests, $0.03`."""
        return f"{requests.counted(self.requests)}, ${requests.plain(self.dollars)}"

    @property
    def failures(self) -> list[BreakevenError]:
        """What failed, each saying first which source it was."""
        return [e if str(e).startswith(self.source) else e.of(self.source) for e in self.errors]

    @property
    def whose(self) -> dict[str, object]:
        """The account and region that the config gave it; nothing where it names no account."""
        return {"account": self.account, "region": self.region} if self.account else {}

    def counts(self) -> dict[str, object]:
        """For the journal: dollars as decimal text, the first error or empty."""
        return {
            "new": self.new,
            "unchanged": self.unchanged,
            "rows": self.rows,
            "requests": self.requests,
            "dollars": requests.plain(self.dollars),
            "error": str(self.errors[0]) if self.errors else "",
            "notices": self.notices,
        }


@dataclass(frozen=True)
class Report:
    """What a whole pull brought, in the order of the config."""

    results: tuple[Result, ...]

    @property
    def errors(self) -> list[BreakevenError]:
        """All that failed."""
        return [error for result in self.results for error in result.errors]

    def lines(self) -> list[str]:
        """For people, one per source: `focus: 1 new, 0 unchanged, 12 rows, 0 paid requests, $0`."""
        told = zip(self.documents(), self.results, strict=True)
        return [
            f"{document['called']}: {result.brought}, {result.paid}"
            for document, result in told
            if result.source
        ]

    def documents(self) -> list[dict[str, object]]:
        """For `--json`, one per source; `called` adds the location where two have one name."""
        names = [result.source for result in self.results]
        return [
            {
                "source": result.source,
                "kind": result.kind,
                "location": result.location,
                "called": f"{result.source} ({result.location})"
                if names.count(result.source) > 1
                else result.source,
                **result.whose,
                **result.counts(),
                "restated": [change.document() for change in result.restated],
                "errors": [str(error) for error in result.errors],
            }
            for result in self.results
        ]

    def restated(self) -> list[str]:
        """A line per source and month whose total is no longer what it was."""
        return [
            f"{result.source} {line}"
            for result in self.results
            for line in restatements.lines(result.restated)
        ]

    def raise_failures(self) -> None:
        """Raises the one error there is, or one that has every reason and whose each is."""
        failures = [failure for result in self.results for failure in result.failures]
        if len(failures) == 1:
            raise failures[0]
        if failures:
            failed = sorted({result.source for result in self.results if result.errors})
            raise SeveralError(f"{len(failures)} deliveries failed ({', '.join(failed)})", failures)


def cron(source: Source, settings: Settings) -> str:
    """When a source is pulled: its own `schedule`, else that of its group. UTC."""
    own = {entry.label: entry.schedule for entry in settings.sources}.get(source.name)
    return own or str(getattr(settings.schedule, source.group))


def report_of(error: BreakevenError, report: Report | None = None) -> Report:
    """What there was to report when `error` ended a pull, or what came after it."""
    return Report((*(report.results if report else ()), Result("", errors=[error])))


def pull(
    settings: Settings,
    names: Iterable[str] = (),
    window: Window = Window(),  # noqa: B008 - immutable
    *,
    tell: Tell | None = None,
    wait: float = 0,
    spare: Collection[str] = (),
) -> Report:
    """Pulls the named sources, or all.

    Raises `ConfigError`, `BusyError`, `StorageError`; all else is reported.

    `wait` is how many seconds to wait for that one, -1 for ever. `spare` are ids of deliveries
    whose files are not cleared away, beside those that a closed month names.
    """
    names = tuple(names)
    sources.named(settings, names)  # a mistaken config is said before anything is asked
    _refuse_no_bill(settings)
    with warehouse.lock(settings.data, purpose="ingest", wait=wait), door.opened() as checks:
        zone = RawZone(settings.data / RAW)
        closed = Closes(settings.data).named()
        zone.sweep(timedelta(days=settings.raw.keep_days), closed.union(spare))
        kept.sweep(settings.data)
        settings, unlisted = _listed(settings, names)
        now = _Pull(settings, zone, checks, window, tell)
        chosen = sources.named(settings, names)
        return Report((*unlisted, *(now.ask(source) for source in chosen)))


def _refuse_no_bill(settings: Settings) -> None:
    """Raises `ConfigError` where `cost.source` can never bring a bill: nobody is called that.

    A source that the config no longer has, and that delivered one, still is the bill's.
    """
    wanted = settings.cost.source
    bills = {form.NAME for form in FORMATS if form.VIEW == "charges"}
    named = {entry.label for entry in settings.sources if entry.kind in bills}
    live = RawZone(settings.data / RAW).live(*bills)
    if wanted in bills | named | {delivery.key.source for delivery in live}:
        return
    known = sorted(bills | named)
    close = nearest(wanted, known)
    choices = f"it is one of {', '.join(known)}"
    raise ConfigError(
        "cost.source names no source that brings a bill",
        value=wanted,
        remedy=f"{close} {choices}" if close.startswith("did") else choices,
    )


def _listed(settings: Settings, names: tuple[str, ...]) -> tuple[Settings, list[Result]]:
    """With all accounts of the organisation, or why they are not known; the others are pulled."""
    try:
        return organization.completed(settings, names), []
    except BreakevenError as error:
        return settings, [Result("organization", "organization", errors=[error])]


@dataclass
class _Pull:
    """One pull under way."""

    settings: Settings
    zone: RawZone
    door: Door
    window: Window
    tell: Tell | None
    offered: dict[Key, Source] = field(default_factory=dict)
    named: set[str] = field(default_factory=set)
    """What is wrong with the ledger, which all sources share."""

    def ask(self, source: Source) -> Result:
        """Takes all that one source has to offer."""
        ledger = Ledger(self.settings.data, self.settings.cost.api_budget_usd_per_day)
        whose = accounts.account_and_region(source.options)
        result = Result(source.name, source.kind, source.location, *whose)
        visit = Visit(self.zone, ledger, self._read(source), self.window, notices=result.notices)
        when = cron(source, self.settings)
        page = journal.Page(self.settings.data, source, self.window, when, result.whose)
        page.begin()
        try:
            for parcel in self._told(source, source.fetch(visit)):
                self._refuse_twice(source, parcel)
                self._take(source, parcel, result)
        except StorageError:
            raise  # a full disk fails every source: say so once
        except BreakevenError as error:
            result.errors.append(error)
        if not any(isinstance(error, SourceError) for error in result.errors):
            visit.kept.over()  # what AWS said is delivered, or was not fit to be
        whom = accounts.whose(source.options, self.settings)
        result.errors = [failure.of(whom) for failure in result.errors]
        result.unchanged += len(visit.unchanged)
        result.notices += [note for note in ledger.notices if note not in self.named]
        self.named.update(ledger.notices)
        result.requests = len(ledger.made)
        result.dollars = sum((Decimal(paid.dollars) for paid in ledger.made), Decimal(0))
        page.end(result.counts())
        return result

    def _read(self, source: Source) -> kept.Kept:
        """What was paid for in a pull like this one that did not come to its end."""
        mark = sha256(f"{source.name} {source.location}".encode()).hexdigest()[:12]
        about = {
            "window": str(self.window),
            "today": str(self.settings.today),
            "tags": self.settings.tags.model_dump_json(),
            "money": self.settings.cost.source,
        }
        return kept.resumed(self.settings.data, f"{source.kind}-{mark}", about)

    def _told(self, source: Source, parcels: Iterable[Parcel]) -> Iterator[Parcel]:
        total = operator.length_hint(parcels, 0)
        for done, parcel in enumerate(parcels):
            if self.tell:
                whose = accounts.whose(source.options, self.settings)
                self.tell(Step(source.name, parcel.unit, parcel.period, done, total, whose))
            yield accounts.keyed(source.options, parcel)

    def _refuse_twice(self, source: Source, parcel: Parcel) -> None:
        """Two entries of one name that both hold an `export` would replace each other for ever."""
        key = Key(source.name, parcel.unit, parcel.period)
        other = self.offered.setdefault(key, source)
        if other is not source:
            raise InputError(
                f"{source.name}: {other.location} and {source.location} both deliver",
                value=parcel.unit,
                remedy="give one of the two [[sources]] another `name`",
            )

    def _take(self, source: Source, parcel: Parcel, result: Result) -> None:
        """Seals one parcel. Damaged input is noted and the next tried; all else ends the source."""
        try:
            sealed = self._sealed(source, parcel)
        except InputError as error:
            result.errors.append(error)
            return
        result.unchanged += sealed is None
        result.new += sealed is not None
        result.rows += sealed.rows if sealed else 0
        result.restated += self._restated(sealed) if sealed else []

    def _restated(self, sealed: Delivery) -> list[Change]:
        """What a new delivery says otherwise than the one before."""
        history = self.zone.history(sealed.key)[-2:]
        return list(restatements.changes(history, self.settings.cost.settle_days))

    def _sealed(self, source: Source, parcel: Parcel) -> Delivery | None:
        """The new delivery, or None where the same bytes are live already."""
        key, form = Key(source.name, parcel.unit, parcel.period), parcel.format or source.format
        with self.zone.staging(key) as staging, self.door.checking(staging, form) as early:
            parcel.fill(staging)
            if staging.unchanged(append=source.append):
                return None
            totals = admission.admit(staging, form, empty=parcel.empty, early=early)
            lost_months.refuse(self.zone, staging, totals, form)
            overlap.refuse(self.zone, staging, totals, form, self.settings.cost.source)
            return staging.seal(form, totals=totals, append=source.append)
