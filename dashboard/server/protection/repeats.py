"""Counts repeated events: the first of a kind is handled, the rest are reported as a number."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Kind = TypeVar("Kind", bound=Hashable)
Event = TypeVar("Event")


class Repeats(Generic[Kind, Event]):
    """Reports how many events of a kind followed the first, when a window of time is over.

    `report` gets that first event and how many followed, if any did. While there are `most` kinds,
    an event of another kind counts as one of the newest. Thread-safe.
    """

    def __init__(
        self, window: float, report: Callable[[Event, int], None], most: int | None = None
    ) -> None:
        self._window, self._report, self._most = window, report, most
        self._lock = threading.Lock()
        self._more: dict[Kind, int] = {}

    def is_first(self, kind: Kind, event: Event) -> bool:
        """Counts an event, and returns whether it is the first of its kind in the window."""
        with self._lock:
            if kind not in self._more and len(self._more) == self._most:
                kind = next(reversed(self._more))
            if kind in self._more:
                self._more[kind] += 1
                return False
            self._more[kind] = 0
        timer = threading.Timer(self._window, self._end, (kind, event))
        timer.daemon = True
        timer.start()
        return True

    def _end(self, kind: Kind, event: Event) -> None:
        with self._lock:
            more = self._more.pop(kind)
        if more:
            self._report(event, more)
