"""What a feed is: a name, a group for the schedule, what it reads, and the deliveries it offers.

A source only brings bytes. It offers batches: the key of a delivery and the way to fill its
folder. `ingest.pull` does the rest, the same for all: check, compare with what is there, seal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import date
from typing import Any, ClassVar, Literal, Protocol

from pydantic import BaseModel, ConfigDict

from ingest.paid_requests.ledger import RequestLedger
from ingest.paid_requests.response_cache import ResponseCache
from models.config.settings import Settings
from models.raw.zone import RawZone, Staging

Group = Literal["cost", "progress", "prices"]
ALL = "all"
"""The period of what has no period: a file is one delivery, whatever days it holds."""


class Options(BaseModel):
    """What stands beside `kind` and `name` in a `[[sources]]` table; closed to other names."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)


@dataclass(frozen=True)
class Window:
    """The UTC days asked for, both inclusive; None: as far as the source finds due."""

    first: date | None = None
    last: date | None = None

    def __str__(self) -> str:
        """`2026-01-01/2026-01-31`, either side empty; nothing at all where no day was named."""
        first, last = (f"{day or ''}" for day in (self.first, self.last))
        return f"{first}/{last}" if self.given else ""

    @property
    def given(self) -> bool:
        """Whether anything was asked for at all."""
        return self != Window()

    def touches(self, month: str) -> bool:
        """Whether a day of `month` (`YYYY-MM`) was asked for."""
        starts_after = self.last is not None and month > f"{self.last:%Y-%m}"
        ends_before = self.first is not None and month < f"{self.first:%Y-%m}"
        return not starts_after and not ends_before


@dataclass(frozen=True)
class Batch:
    """One delivery on offer. `fill` writes its files; it may find them all there already."""

    unit: str
    period: str
    fill: Callable[[Staging], None]
    empty: bool = False
    """Whether no rows at all is an answer, where nothing better is live."""
    format: str | None = None
    """The format it is read with, where that is not its source's."""


@dataclass(frozen=True)
class FetchContext:
    """What a source is handed when it is asked to fetch."""

    zone: RawZone
    ledger: RequestLedger
    cache: ResponseCache
    window: Window = Window()
    unchanged: list[str] = field(default_factory=list)
    """Periods that were asked about and are as they were delivered; they are not offered again."""
    notices: list[str] = field(default_factory=list)
    """What a reader must know of what is brought, a line each; nothing of it failed."""


class Source(Protocol):
    """One `[[sources]]` entry. A class of `ingest.sources`, made by `configured`."""

    kind: ClassVar[str]
    """What the config calls it."""
    group: ClassVar[Group]
    """Which cron of `[schedule]` pulls it."""
    format: ClassVar[str]
    """The format its deliveries are read with (`models.formats`)."""
    append: ClassVar[bool]
    """Whether all its deliveries stay live, not only the newest of a key."""
    regional: ClassVar[bool]
    """Whether each region of an account answers for itself."""
    accepts: ClassVar[type[Options]]
    """What may stand beside `kind` and `name` in the config."""

    def __init__(self, name: str, options: Any, settings: Settings) -> None:  # noqa: ANN401
        """`options` are of the type that the class accepts."""

    @property
    def name(self) -> str:
        """What its deliveries are filed under."""

    @property
    def options(self) -> Options:
        """What the config says of it, of the type that the class accepts."""

    @property
    def location(self) -> str:
        """What it reads; no two entries may read the same."""

    def fetch(self, context: FetchContext) -> Iterable[Batch]:
        """The deliveries that are due. Raises `SourceError`, `InputError`."""


def cron(source: Source, settings: Settings) -> str:
    """The cron expression (UTC) that pulls a source: its own `schedule`, else its group's."""
    own = {entry.label: entry.schedule for entry in settings.sources}.get(source.name)
    return own or str(getattr(settings.schedule, source.group))
