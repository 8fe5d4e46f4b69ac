"""Lets breakeven live on a day of the story: its clock, and the names that it draws by lot."""

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
    """A `datetime` whose present is the story's; only the journal of pulls moves it on."""

    present = datetime(2026, 1, 1, tzinfo=UTC)

    @classmethod
    def now(cls, tz: object = None) -> datetime:  # type: ignore[override]
        """The story's time, UTC."""
        return Clock.present


class Ticking(Clock):
    """The same clock, for the one module that marks that time passes."""

    @classmethod
    def now(cls, tz: object = None) -> datetime:  # type: ignore[override]
        """The story's time, a little later at each call."""
        Clock.present += A_PULL
        return Clock.present


def install() -> None:
    """Puts the clock into every module that asks for the time, and numbers into place of lots."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in PACKAGES and getattr(module, "datetime", None) is datetime:
            module.datetime = Clock  # type: ignore[attr-defined]
    journal.datetime = Ticking  # type: ignore[attr-defined]
    drawn = count(1)
    zone.uuid4 = lambda: UUID(bytes=sha256(f"{next(drawn)}".encode()).digest()[:16])  # type: ignore[attr-defined]
