"""Recomputes what an earlier edition of the METHOD closed with today's edition.

This separates what the edition changed of a closed month from what AWS or the config changed since.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from models.closing.derivation import derived
from models.closing.frozen_inputs import thawed, unchanged
from models.closing.monthly_statement import figures
from models.config.settings import Settings
from models.contract.errors import CloseError
from models.raw.delivery import Delivery
from models.raw.zone import RawZone
from models.records.closes import Close
from models.records.statement import Row

TABLES = ("month_facts", "tie_out")
MOST = 24
Figures = Mapping[str, Sequence[Row]]


class ByThisEdition:
    """Recomputes all months by today's METHOD from deliveries and config of an earlier close."""

    known: dict[tuple[str, str], Figures | None] = {}  # noqa: RUF012 - shared: it takes seconds

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    def __call__(self, close: Close) -> Figures | None:
        """Returns all months' `summary`, `tie_out` rows; None if a delivery is gone or changed."""
        key = f"{self.settings.data}", f"{close.called} {close.statement.sha256}"
        if key not in self.known:
            if len(self.known) >= MOST:
                self.known.clear()
            self.known[key] = self._computed(close)
        return self.known[key]

    def _computed(self, close: Close) -> Figures | None:
        deliveries = RawZone(self.settings.data / "raw").deliveries()
        try:
            mine = _mine(close, deliveries)
        except CloseError:
            return None
        with derived(thawed(close.config, self.settings), mine, mine, TABLES) as ask:
            return figures(ask)


def _mine(close: Close, deliveries: Sequence[Delivery]) -> list[Delivery]:
    every = {delivery.id: delivery for delivery in deliveries}
    return [unchanged(one, every) for one in close.deliveries]
