"""Reads the paid AWS requests of a day from the ledger that `ingest` appends to."""

from __future__ import annotations

import json
import threading
from contextlib import suppress
from datetime import date
from decimal import Decimal
from pathlib import Path

from models.raw.appended_lines import AppendOnlyReader

LEDGER = "requests.jsonl"


class PaidRequests:
    """Counts a day's paid AWS requests and sums their dollars, from the ledger in a folder.

    Lines that were read once are not read again; a line that is no JSON is left out.
    """

    def __init__(self, folder: Path) -> None:
        self._reader = AppendOnlyReader(folder / LEDGER)
        self._guard = threading.Lock()
        self._days: dict[str, tuple[int, Decimal]] = {}

    def of_day(self, day: date) -> tuple[int, Decimal]:
        """Returns how many requests were paid for on a UTC day, and their dollars."""
        with self._guard:
            lines, replaced = self._reader.read_new()
            self._days = {} if replaced else self._days
            for line in lines:
                with suppress(ValueError):  # cut off by a crash
                    self._add(json.loads(line))
            return self._days.get(day.isoformat(), (0, Decimal(0)))

    def _add(self, request: dict[str, str]) -> None:
        day = request["at"][:10]
        count, dollars = self._days.get(day, (0, Decimal(0)))
        self._days[day] = count + 1, dollars + Decimal(request["dollars"])
