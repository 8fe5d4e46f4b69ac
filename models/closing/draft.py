"""Drafts the close of a month, and checks whether it may be closed (METHOD §7.3)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from models.closing.conditions import Condition, conditions, new_edition
from models.closing.derivation import derived
from models.closing.frozen_inputs import frozen, named
from models.closing.monthly_statement import Sources, statement
from models.closing.recomputed_by_this_edition import ByThisEdition
from models.config.settings import Settings
from models.raw.live_deliveries import live_deliveries
from models.raw.zone import RawZone
from models.records.closes import Close, Closes


@dataclass(frozen=True)
class Drafted:
    """A draft of a month's close, with the conditions for closing it, met or not."""

    close: Close
    conditions: tuple[Condition, ...]

    @property
    def lines(self) -> list[str]:
        """Formats each condition for closing the month as one line of text."""
        return [condition.line for condition in self.conditions]

    def closed_line(self) -> str:
        """Formats the result of closing a month as one line: version, by whom, SHA-256."""
        close = self.close
        return f"closed {close.called} by {close.closed_by} (sha256 {close.statement.sha256})"

    def document(self) -> dict[str, Any]:
        """Returns who closes a month, when, why, its hash and conditions, as a dict for JSON."""
        return outline(self.close) | {"conditions": [one.document() for one in self.conditions]}


def outline(close: Close) -> dict[str, Any]:
    """Returns who closed a month, when, why, by which edition, and its hash, as a dict for JSON.

    The figures of the statement are left out.
    """
    names = ("month", "version", "closed_by", "closed_at", "reason")
    signed = {"edition": close.statement.edition, "sha256": close.statement.sha256}
    return {name: getattr(close, name) for name in names} | signed


def draft(
    settings: Settings,
    month: str,
    *,
    by: str = "",
    reason: str = "",
    explanation: str = "",
    edition: int | None = None,
) -> Drafted:
    """Returns a month's statement and close conditions, from current deliveries; writes nothing.

    `edition` is the edition of the method that a person acknowledges.
    """
    every = RawZone(settings.data / "raw").deliveries()
    live = live_deliveries(every)
    closes = Closes(settings.data)
    others = closes.newest_versions(without=month)
    versions = [known.version for known in closes.versions(month)]
    delivered, config = tuple(named(one) for one in live), frozen(settings)
    with derived(settings, every, live) as ask:
        again = ByThisEdition(settings)
        sources = Sources(ask, settings, others, delivered, config, by_this_edition=again)
        found = statement(month, sources)
        checked = [
            *conditions(found, ask, settings, others, explanation),
            *new_edition(closes.newest_versions(), edition),
        ]
    made = Close(
        found,
        version=max(versions, default=0) + 1,
        closed_by=by,
        closed_at=datetime.now(UTC).isoformat(timespec="seconds"),
        reason=reason,
        deliveries=delivered,
        config=config,
        closes=tuple((close.month, close.version) for close in others),
        notes=tuple(condition.line for condition in checked),
    )
    return Drafted(made, tuple(checked))
