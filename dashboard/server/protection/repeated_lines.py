"""Counts log lines that repeat instead of writing each of them."""

from __future__ import annotations

import copy
import logging
import threading

WINDOW_SECONDS = 5.0


class RepeatedLines(logging.Filter):
    """Lets the first line of a kind through at once, then says how many more there were.

    Lines are of one kind if the same place in the code writes them with the same first argument.
    Safe between threads.
    """

    def __init__(self, window: float = WINDOW_SECONDS) -> None:
        super().__init__()
        self._window = window
        self._lock = threading.Lock()
        self._more: dict[object, int] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Returns whether the line is written now; one of a kind that is being counted is not."""
        if getattr(record, "counted", False):
            return True
        first = record.args[:1] if isinstance(record.args, tuple) else ()
        kind = (record.pathname, record.lineno, first)
        with self._lock:
            if kind in self._more:
                self._more[kind] += 1
                return False
            self._more[kind] = 0
        timer = threading.Timer(self._window, self._tell, (kind, record))
        timer.daemon = True
        timer.start()
        return True

    def _tell(self, kind: object, record: logging.LogRecord) -> None:
        with self._lock:
            more = self._more.pop(kind)
        if more:
            line = copy.copy(record)
            line.msg, line.args = f"{record.getMessage()} (and {more} more like it)", ()
            line.counted = True
            logging.getLogger(record.name).handle(line)
