"""Counts log lines that repeat instead of writing each of them."""

from __future__ import annotations

import copy
import logging

from dashboard.server.protection.repeats import Repeats

WINDOW_SECONDS = 5.0


class RepeatedLines(logging.Filter):
    """Lets the first line of a kind through at once, then says how many more there were.

    Lines are of one kind if the same place in the code writes them with the same first argument.
    Safe between threads.
    """

    def __init__(self, window: float = WINDOW_SECONDS) -> None:
        super().__init__()
        self._repeats = Repeats[tuple[object, ...], logging.LogRecord](window, tell)

    def filter(self, record: logging.LogRecord) -> bool:
        """Returns whether the line is written now; one of a kind that is being counted is not."""
        if getattr(record, "counted", False):
            return True
        first = record.args[:1] if isinstance(record.args, tuple) else ()
        return self._repeats.is_first((record.pathname, record.lineno, first), record)


def tell(record: logging.LogRecord, more: int) -> None:
    """Writes how many lines like a first one followed it."""
    line = copy.copy(record)
    line.msg, line.args = f"{record.getMessage()} (and {more} more like it)", ()
    line.counted = True
    logging.getLogger(record.name).handle(line)
