"""The journal of pulls, `deliveries.jsonl` next to the warehouse: its name and its entries.

`ingest` appends two JSON lines for each pull of each source, one when it begins and one when it
ends. A line that a crash cut off is skipped when the journal is read.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

JOURNAL_FILE = "deliveries.jsonl"
UNFINISHED = "the pull that began then has not ended"
"""The `error` of a pull's first line; the second line has its result."""
Entry = dict[str, Any]


def entries(lines: Iterable[bytes]) -> Iterator[Entry]:
    """Yields the parsed lines of the journal of pulls; skips those that are not JSON."""
    for line in lines:
        with suppress(ValueError):  # cut off by a crash
            yield json.loads(line)
