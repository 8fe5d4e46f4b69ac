"""Finds a month's statement for a document: as closed, or computed as a draft."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from models.closing.closing import one_of
from models.closing.frozen_inputs import frozen, named
from models.closing.monthly_statement import Ask, Sources, statement
from models.closing.recomputed_by_this_edition import ByThisEdition
from models.config.settings import Settings
from models.documents.unsettled_spend import Waiting, waiting_of_month
from models.engine.warehouse.reader import Reader
from models.raw.zone import RawZone
from models.records.closes import Close, Closes
from models.records.statement import Statement


@dataclass(frozen=True)
class Paper:
    """A month's statement for a document: closed, or a draft while the month is open.

    `close` is None for a draft.
    """

    statement: Statement
    close: Close | None = None

    @property
    def waiting(self) -> Waiting:
        """Returns sentences on uncounted dollars of a month, of a closed one as at its close.

        A statement of an earlier version says nothing of it: there the conditions name the days.
        """
        return waiting_of_month(self.statement.tables.get("unsettled", []))

    @property
    def dated(self) -> datetime:
        """Returns when a month was closed (UTC); of a draft, midnight of its `as_of` day."""
        text = self.close.closed_at if self.close else f"{self.statement.facts['as_of']}T00:00:00"
        return datetime.fromisoformat(text).astimezone(UTC) if self.close else _utc(text)

    @property
    def status_line(self) -> str:
        """Returns the line that says `Draft as of …`, or the version, who closed it and when."""
        if self.close is None:
            return f"Draft as of {self.statement.facts['as_of']}: the month is not closed"
        at = f"{self.dated:%Y-%m-%d %H:%M} UTC"
        return f"Version {self.close.version}, closed by {self.close.closed_by} at {at}"


def paper(settings: Settings, month: str, version: int | None = None) -> Paper:
    """Returns a month's statement: from its given or newest close, or else computed as a draft.

    A draft is computed from the snapshot. Raises `MissingDataError` where the month or the version
    does not exist.
    """
    closes = Closes(settings.data)
    if version or closes.versions(month):
        close = one_of(closes, month, version)
        return Paper(close.statement, close)
    reader = Reader(settings.data / "snapshots")
    try:
        return Paper(drafted(settings, month, reader.rows))
    finally:
        reader.close()


def drafted(settings: Settings, month: str, ask: Ask) -> Statement:
    """Computes a month's statement from the published tables, even for a month already closed."""
    return statement(month, drawn_from(settings, month, ask))


def drawn_from(settings: Settings, month: str, ask: Ask) -> Sources:
    """Collects a statement's inputs: query function, settings, other closes, deliveries."""
    ((as_of,),) = (row.values() for row in ask("SELECT as_of FROM snapshot"))
    then = settings.model_copy(update={"as_of": as_of})
    live = tuple(named(delivery) for delivery in RawZone(settings.data / "raw").live())
    others = Closes(settings.data).newest_versions(without=month)
    again = ByThisEdition(settings)
    return Sources(ask, then, others, live, frozen(then), by_this_edition=again)


def _utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)
