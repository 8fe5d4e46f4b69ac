"""Warns at start-up of entries of `[[access]]` that match no workload."""

from __future__ import annotations

import logging
from collections.abc import Iterator

from models.access.scope import Scope
from models.config.settings import Settings
from models.contract.errors import MissingDataError, StorageError
from models.engine.warehouse.reader import Reader

LOG = logging.getLogger(__name__)


def warn_of_empty_scopes(settings: Settings, reader: Reader) -> None:
    """Logs a warning for each name pattern or set of tags of `[[access]]` that fits no workload."""
    try:
        for place, named, scope in _scopes(settings):
            if not reader.rows("SELECT workload FROM break_even LIMIT 1", (), scope):
                LOG.warning("[[access]] no. %d: no workload has %s yet", place, named)
    except (MissingDataError, StorageError):  # pages show that there is no snapshot
        return


def _scopes(settings: Settings) -> Iterator[tuple[int, str, Scope]]:
    for place, entry in enumerate(settings.access, 1):
        for pattern in entry.workloads or ():
            yield place, f"a name like {pattern!r}", Scope(patterns=(pattern,))
        if entry.tag:
            tags = tuple(sorted(entry.tag.items()))
            named = " and ".join(f"{key} = {value!r}" for key, value in tags)
            yield place, f"{named} on all its accelerator-hours", Scope(tags=(tags,))
