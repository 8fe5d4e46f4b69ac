"""Replaces breakeven's clock by a simulated one, and its random ids by repeatable ones."""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import count
from uuid import UUID

from ingest.pull import journal
from models.raw import zone

PACKAGES = ("breakeven", "ingest", "models")
A_PULL = timedelta(seconds=4)
"""How long the story's pull of one source takes: the clock moves on at each line of the journal."""


class Clock(datetime):
    """A `datetime` whose `now` is the simulated time instead of the machine's."""

    present = datetime(2026, 1, 1, tzinfo=UTC)

    @classmethod
    def now(cls, tz: object = None) -> datetime:  # type: ignore[override]
        """Returns the simulated time in UTC."""
        return Clock.present


class Ticking(Clock):
    """The same clock for the journal of pulls: it moves on by four seconds at each call."""

    @classmethod
    def now(cls, tz: object = None) -> datetime:  # type: ignore[override]
        """Moves the simulated time on by four seconds and returns it."""
        Clock.present += A_PULL
        return Clock.present


def install() -> None:
    """Puts the clock into all loaded modules of breakeven, and counted ids in place of random."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in PACKAGES and getattr(module, "datetime", None) is datetime:
            module.datetime = Clock  # type: ignore[attr-defined]
    journal.datetime = Ticking  # type: ignore[attr-defined]
    drawn = count(1)
    zone.uuid4 = lambda: UUID(bytes=sha256(f"{next(drawn)}".encode()).digest()[:16])  # type: ignore[attr-defined]
