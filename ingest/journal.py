"""The journal of pulls: one line per source and pull, beside the warehouse, only appended to.

    {"at": "2026-10-31T06:00:09+00:00", "source": "focus", "new": 1, "unchanged": 13,
     "rows": 40312, "requests": 0, "dollars": "0", "error": ""}

`at` is UTC and ISO, `dollars` decimal text; `error` is empty after success, else its first line.
Where one `[[sources]]` entry stands for many, `account` and `region` say which one it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from ingest import requests

FILE = "deliveries.jsonl"


def note(folder: Path, source: str, brought: Mapping[str, object]) -> None:
    """Adds what one pull of one source brought."""
    at = datetime.now(UTC).isoformat(timespec="seconds")
    requests.append(folder / FILE, {"at": at, "source": source, **brought})


def last_success(folder: Path, source: str, account: str = "", region: str = "") -> datetime | None:
    """When a source was last pulled without an error; of several, the one of this account."""
    asked = (source, account, region)
    found = None
    for line in requests.lines(folder / FILE):
        told = (line["source"], line.get("account", ""), line.get("region", ""))
        if told == asked and not line["error"]:
            found = datetime.fromisoformat(line["at"])
    return found
