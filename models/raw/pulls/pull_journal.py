"""Reads the journal of pulls, `deliveries.jsonl` next to the warehouse.

`ingest` appends two JSON lines for each pull of each source, one when it begins and one when it
ends, and one for a feed that the config no longer has. A line that a crash cut off is skipped when
the journal is read.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

JOURNAL_FILE = "deliveries.jsonl"
UNFINISHED = "the pull that began then has not ended"
"""The `error` of a pull's first line; the second line has its result."""
REMOVED = "removed"
"""The field of a line that is no pull: it says that the config no longer has this feed."""
Entry = dict[str, Any]
Feed = tuple[str, ...]
"""The source, location, account and region of an entry."""


def entries(lines: Iterable[bytes]) -> Iterator[Entry]:
    """Yields the parsed lines of the journal of pulls; skips those that are not JSON."""
    for line in lines:
        with suppress(ValueError):  # cut off by a crash
            yield json.loads(line)


def pulls(lines: Iterable[bytes]) -> Iterator[Entry]:
    """Yields the parsed journal lines, except those that note a feed's removal."""
    return (entry for entry in entries(lines) if REMOVED not in entry)


def feed_of(entry: Entry) -> Feed:
    """Returns the feed (source, location, account, region) of a journal entry; "" if absent."""
    return tuple(str(entry.get(name) or "") for name in ("source", "location", "account", "region"))


def failing_since(folder: Path) -> dict[Feed, datetime]:
    """Maps each feed that fails or was cut off to the begin (UTC) of its first such pull.

    It is in UTC, to the second. A pull that ended without an error takes its feed off the list.
    """
    journal, found = folder / JOURNAL_FILE, dict[Feed, datetime]()
    lines = journal.read_bytes().splitlines() if journal.is_file() else []
    for entry in pulls(lines):
        if entry["error"] == UNFINISHED:
            found.setdefault(feed_of(entry), datetime.fromisoformat(entry["at"]))
        elif not entry["error"]:
            found.pop(feed_of(entry), None)
    return found


def pulled_whole(folder: Path) -> dict[Feed, datetime]:
    """Maps each feed to the begin (UTC) of its last successful pull, not of chosen dates."""
    journal, begun, found = folder / JOURNAL_FILE, dict[Feed, datetime](), dict[Feed, datetime]()
    lines = journal.read_bytes().splitlines() if journal.is_file() else []
    for entry in pulls(lines):
        feed, at = feed_of(entry), datetime.fromisoformat(entry["at"])
        if entry["error"] == UNFINISHED:
            begun[feed] = at
        elif not entry["error"] and not entry.get("window"):
            found[feed] = begun.get(feed, at)
    return found
