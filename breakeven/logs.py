"""Writes logs as JSON lines, or as text on a terminal; hides secrets and counts repeated lines.

Control characters are escaped, so that a name in a line cannot forge another line. A line that
repeats within a minute is counted; the count is written with the next line after that minute, or
when the process ends.
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import MutableMapping
from dataclasses import dataclass
from datetime import UTC, datetime
from traceback import walk_tb
from typing import Any

import structlog
from structlog.typing import Processor

from models.contract.safe_text import on_one_line, without_credentials

WITHIN = 60.0
"""Seconds within which an equal line is counted instead of written."""
REMEMBERED = 1000
"""How many different lines are remembered; the oldest are written and forgotten."""


Event = MutableMapping[str, Any]


@dataclass
class Seen:
    """A log record that was written, when, and how often an equal one was counted since.

    `at` is of a clock that nobody sets: after the wall clock is set back, the times of records
    would count what is said for days.
    """

    record: logging.LogRecord
    at: float
    again: int = 0


class CountingHandler(logging.StreamHandler[Any]):
    """Writes log records to standard error; counts those that repeat within a minute."""

    def __init__(self) -> None:
        super().__init__(sys.stderr)
        self._seen: dict[tuple[str, int, str, str], Seen] = {}

    def emit(self, record: logging.LogRecord) -> None:
        """Writes a record; if an equal one was written within the last minute, only counts it."""
        now = time.monotonic()
        self._write_counts(before=now - WITHIN)
        key = record.name, record.levelno, record.getMessage(), _fault(record)
        if key in self._seen:
            self._seen[key].again += 1
            return
        self._seen[key] = Seen(record, now)
        super().emit(record)

    def close(self) -> None:
        """Writes how often remembered lines were repeated, and closes the handler."""
        self.acquire()
        try:
            self._write_counts(before=float("inf"))
        finally:
            self.release()
        super().close()

    def _write_counts(self, before: float) -> None:
        """Forgets lines first written before a time; writes how often each was repeated."""
        excess = len(self._seen) - REMEMBERED
        for place, (key, seen) in enumerate(list(self._seen.items())):
            if seen.at >= before and place >= excess:
                return
            del self._seen[key]
            if seen.again:
                times = f"{seen.again} more time{'' if seen.again == 1 else 's'}"
                message = f"{times}: {seen.record.getMessage()}"
                made = logging.LogRecord(
                    seen.record.name, seen.record.levelno, "", 0, message, None, None
                )
                super().emit(made)


def _fault(record: logging.LogRecord) -> str:
    """Returns the type and source line of a log record's exception; "" if it has none."""
    kind, _, trace = record.exc_info or (None, None, None)
    places = [f"{frame.f_code.co_filename}:{line}" for frame, line in walk_tb(trace)]
    return f"{kind.__name__} {''.join(places[-1:])}" if kind else ""


def configure() -> None:
    """Sends this process's logs to standard error, unless the root logger already has a handler."""
    handler = CountingHandler()
    handler.setFormatter(_formatter(as_text=sys.stderr.isatty()))
    logging.basicConfig(handlers=[handler], level=logging.INFO)


def _formatter(*, as_text: bool) -> logging.Formatter:
    written: Processor = _text if as_text else structlog.processors.JSONRenderer()
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[structlog.stdlib.add_log_level, structlog.stdlib.add_logger_name, _time],
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.format_exc_info,
            _safe,
            written,
        ],
    )


def _time(_: object, __: str, event: Event) -> Event:
    made = event["_record"].created
    at = datetime.fromtimestamp(made, UTC).isoformat(timespec="milliseconds")
    return {"at": at, **event}


def _safe(_: object, __: str, event: Event) -> Event:
    """Hides credentials in every text of a line, and escapes control characters."""
    return {name: _safe_value(name, value) for name, value in event.items()}


def _safe_value(name: str, value: object) -> object:
    if not isinstance(value, str):
        return value
    hidden = without_credentials(value)
    if name != "exception":
        return on_one_line(hidden)
    return "\n".join(f"  {on_one_line(line)}" for line in hidden.splitlines())


def _text(_: object, __: str, event: Event) -> str:
    trace = f"\n{event['exception']}" if "exception" in event else ""
    return f"{event['at']} {event['level'].upper()} {event['event']}{trace}"
