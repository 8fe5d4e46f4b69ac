"""Defines the interface of a source, which fetches what one `[[sources]]` entry describes.

A source only fetches bytes. It yields batches: the key of a delivery, and a function that writes
its files. `ingest.pull` does the rest, the same for all: validate, compare with what is live, seal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, ClassVar, Literal, Protocol

from pydantic import BaseModel, ConfigDict

from ingest.paid_requests.ledger import RequestLedger
from ingest.paid_requests.response_cache import ResponseCache
from models.config.settings import Settings
from models.contract.errors import InputError
from models.raw.staging import Staging
from models.raw.zone import RawZone

Group = Literal["cost", "progress", "prices"]
ALL = "all"
"""The period of a delivery that has none: a file is one delivery, whatever days it has."""


class Options(BaseModel):
    """The base class of the options of a `[[sources]]` table, beside `kind` and `name`."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)


@dataclass(frozen=True)
class Window:
    """The range of UTC days to pull, both included; None leaves that end to the source."""

    first: date | None = None
    last: date | None = None

    def __str__(self) -> str:
        """Formats the range of days as `2026-01-01/2026-01-31`; empty if no day was named."""
        first, last = (f"{day or ''}" for day in (self.first, self.last))
        return f"{first}/{last}" if self.given else ""

    @property
    def given(self) -> bool:
        """Whether a first or a last day to pull is named."""
        return self != Window()

    def includes(self, day: str) -> bool:
        """Whether a day (`YYYY-MM-DD`) is among the days to pull."""
        return f"{self.first or day}" <= day <= f"{self.last or day}"

    def touches(self, month: str) -> bool:
        """Whether the days to pull include any day of a month (`YYYY-MM`)."""
        starts_after = self.last is not None and month > f"{self.last:%Y-%m}"
        ends_before = self.first is not None and month < f"{self.first:%Y-%m}"
        return not starts_after and not ends_before


@dataclass(frozen=True)
class Batch:
    """One delivery that a source offers: unit, period, and a function that writes its files.

    `fill` may find that all of them are there already.
    """

    unit: str
    period: str
    fill: Callable[[Staging], None]
    empty: bool = False
    """Whether it may have no rows at all, provided that no rows are live."""
    format: str | None = None
    """The format to read it with; None means that of its source."""
    refused: InputError | None = None
    """Why its file was refused before it became a delivery: `fill` raises it."""
    again: bool = False
    """Whether it is delivered also where what is live has the same bytes: it was seen later."""


@dataclass(frozen=True)
class FetchContext:
    """What a source needs to fetch: raw zone, request ledger, response cache, requested days."""

    zone: RawZone
    ledger: RequestLedger
    cache: ResponseCache
    window: Window = Window()
    unchanged: list[str] = field(default_factory=list)
    """Periods that were checked and are unchanged since their delivery."""
    notices: list[str] = field(default_factory=list)
    """Remarks on what was delivered, a line each; none is a failure."""
    failing_since: datetime | None = None
    """When the first pull began that was cut off or failed since the last success; None if none.

    What came since may be a part only of what a file or a service told.
    """
    pulled_whole: datetime | None = None
    """When the last pull began that succeeded and was not of named days alone; None if none."""


class Source(Protocol):
    """The interface of a source of data; each class in `SOURCES` implements it for one kind."""

    kind: ClassVar[str]
    """The word for it in `[[sources]] kind`."""
    group: ClassVar[Group]
    """Which cron of `[schedule]` pulls it."""
    format: ClassVar[str]
    """The format its deliveries are read with (`models.formats`)."""
    append: ClassVar[bool]
    """Whether all its deliveries stay live, not only the newest of a key."""
    regional: ClassVar[bool]
    """Whether each region of an account must be asked separately."""
    accepts: ClassVar[type[Options]]
    """The options that the config may set beside `kind` and `name`."""

    def __init__(self, name: str, options: Any, settings: Settings) -> None:  # noqa: ANN401
        """Makes a source of a `[[sources]]` entry: its name, its options, and all settings."""

    @property
    def name(self) -> str:
        """The source's name, which its deliveries are filed under."""

    @property
    def options(self) -> Options:
        """The options of the `[[sources]]` entry, of the type that `accepts` names."""

    @property
    def location(self) -> str:
        """What the source reads, in words; no two sources may read the same."""

    def fetch(self, context: FetchContext) -> Iterable[Batch]:
        """Yields the deliveries that a pull may seal. Raises `SourceError`, `InputError`."""


def cron(source: Source, settings: Settings) -> str:
    """Returns the cron expression (UTC) that pulls a source: its own `schedule`, or its group's."""
    own = {entry.label: entry.schedule for entry in settings.sources}.get(source.name)
    return own or str(getattr(settings.schedule, source.group))
