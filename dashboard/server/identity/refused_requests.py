"""Records refusals in the audit trail: the first of a kind at once, how many followed later.

Whoever is refused can try again for as long as they like, and must not fill the disk with it.
"""

from __future__ import annotations

import logging
from pathlib import Path

from dashboard.server.protection.repeats import Repeats
from models.access.acting import Actor, acting, actor
from models.contract.errors import StorageError
from models.records.audit import record

WINDOW_SECONDS = 600.0
MOST_KINDS = 20
"""How many kinds are told apart at a time; names that somebody makes up are kinds of their own."""
LOG = logging.getLogger(__name__)


class RefusedRequests:
    """Counts refusals for the audit trail of a folder. Safe between threads."""

    def __init__(self, data: Path, window: float = WINDOW_SECONDS) -> None:
        self._data = data
        self._repeats = Repeats[tuple[str, str], tuple[Actor, str, str]](
            window, self._write, MOST_KINDS
        )

    def count(self, what: str, why: str, who: Actor | None = None) -> None:
        """Records that somebody was refused something, and why."""
        refusal = (who or actor(), what, why)
        if self._repeats.is_first((what, why), refusal):
            self._write(refusal, 1)

    def _write(self, refusal: tuple[Actor, str, str], times: int) -> None:
        who, what, why = refusal
        with acting(who):
            try:
                record(self._data, what, f"refused: {why}", {"times": times})
            except StorageError as error:
                LOG.warning("%s; a refused request is not recorded", error)
