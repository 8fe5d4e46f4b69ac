"""A whole process that writes a close and is killed on the way."""

from __future__ import annotations

import os
import signal
import sys
from multiprocessing.connection import Connection
from pathlib import Path

from models.month_end.closes import Close, Closes
from models.month_end.columns import TABLES
from models.month_end.statement import Statement

STEPS = ("open", "os.link", "os.mkdir", "os.remove")


def small(by: str) -> Close:
    """September, with nothing in it."""
    facts = {"version": "0.1.0"}
    tables: dict[str, list[dict[str, object]]] = {name: [] for name in TABLES}
    statement = Statement("2025-09", facts, tables)
    return Close(statement, 1, by, "2025-10-11T00:00:00+00:00", "", (), {}, ())


def add_killed(data: Path, step: int, said: Connection) -> None:
    """Writes it; ends without any clean-up at the step of that number."""
    steps = 0

    def count(event: str, given: tuple[object, ...]) -> None:
        nonlocal steps
        if event in STEPS and str(data) in str(given):
            reach()

    def reach() -> None:
        nonlocal steps
        steps += 1
        if steps == step:
            os.kill(os.getpid(), signal.SIGKILL)

    fsync = os.fsync

    def synced(fd: int) -> None:
        reach()
        fsync(fd)
        reach()

    os.fsync = synced  # type: ignore[assignment]
    sys.addaudithook(count)
    Closes(data).add(small("first"))
    said.send(steps)
