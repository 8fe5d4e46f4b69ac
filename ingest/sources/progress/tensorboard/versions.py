"""Compares an event file with what was read of it before: grown, other options, or losses."""

from __future__ import annotations

import json
from dataclasses import replace
from hashlib import sha256

from ingest.files.store import FileEntry
from ingest.sources.progress.tensorboard.event_files import Labels
from ingest.sources.progress.tensorboard.options import Meaning
from models.contract.errors import InputError
from models.raw.delivery import Delivery
from models.raw.seen_versions import last_seen
from models.raw.staging import Staging

REUSED = ":kept"
"""Ends the version of a file of which values stay that were read in another way."""


def version_of(entry: FileEntry, labels: Labels, meaning: Meaning) -> str:
    """Returns a text that changes when an event file grows or the options to read it change.

    Its size and time tell, and its bytes are not read for it: they may be gigabytes of images.
    """
    read_as = json.dumps([labels, meaning], sort_keys=True)
    seen = entry.etag or entry.modified.isoformat()
    return f"{seen}:{entry.size}:{sha256(read_as.encode()).hexdigest()[:16]}"


def read_otherwise(staging: Staging, version: str) -> Delivery | None:
    """Returns the live delivery if it was read by other options, else None.

    A file that has none of the new ones keeps it: a build knows their names no more.
    """
    live = staging.zone.current(staging.key)
    return None if live is None or _same_reading(live, version) else live


def keep(live: Delivery, version: str, staging: Staging) -> None:
    """Reuses the delivered values of a file that were read by other options."""
    for file in live.files:
        staging.reuse(live, replace(file, etag=version + REUSED))


def refuse_fewer_values(entry: FileEntry, version: str, staging: Staging) -> None:
    """Raises `InputError` for a file that lost values since it was last read in the same way.

    Writers only append, so it was damaged or replaced.
    """
    live = staging.zone.current(staging.key)
    if live and staging.rows < live.rows and _same_reading(live, version):
        raise InputError(
            f"{entry.uri} holds fewer values than were read of it before",
            value=f"{staging.rows:,} of {live.rows:,}",
            remedy="deliver it again, whole; what was read of it stays",
        )


def _same_reading(live: Delivery, version: str) -> bool:
    read_as = version.rpartition(":")[2]
    return all(file.etag.rpartition(":")[2] == read_as for file in last_seen(live))
