"""Counts log lines that repeat instead of writing each of them."""

from __future__ import annotations

import copy
import logging

from dashboard.server.protection.repeats import Repeats

WINDOW_SECONDS = 5.0


class RepeatedLines(logging.Filter):
    """Lets the first log line of a kind through, and later logs how many like it followed.

    Lines are of one kind if the same place in the code writes them with the same first argument.
    Safe between threads.
    """

    def __init__(self, window: float = WINDOW_SECONDS) -> None:
        super().__init__()
        self._repeats = Repeats[tuple[object, ...], logging.LogRecord](window, log_repeats)

    def filter(self, record: logging.LogRecord) -> bool:
        """Returns whether to write a line now; a repeat within the window is only counted."""
        if getattr(record, "counted", False):
            return True
        first = record.args[:1] if isinstance(record.args, tuple) else ()
        return self._repeats.is_first((record.pathname, record.lineno, first), record)


def log_repeats(record: logging.LogRecord, more: int) -> None:
    """Logs a repeated line once more, with how many like it were left out."""
    line = copy.copy(record)
    line.msg, line.args = f"{record.getMessage()} (and {more} more like it)", ()
    line.counted = True
    logging.getLogger(record.name).handle(line)
