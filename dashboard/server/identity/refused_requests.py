"""Records refusals in the audit trail: the first of a kind at once, later how many followed.

Repeated attempts must not fill the disk.
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
"""Most kinds that are counted apart at a time; each made-up name would be another kind."""
LOG = logging.getLogger(__name__)


class RefusedRequests:
    """Records refusals in the audit trail of a folder, and counts repeats; thread-safe."""

    def __init__(self, data: Path, window: float = WINDOW_SECONDS) -> None:
        self._data = data
        self._repeats = Repeats[tuple[str, str], tuple[Actor, str, str]](
            window, self._write, MOST_KINDS
        )

    def count(self, what: str, why: str, who: Actor | None = None) -> None:
        """Records in the audit trail that an action was refused, and why; counts repeats."""
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
