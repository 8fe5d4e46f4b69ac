"""A whole process that closes a month and is killed on the way."""

from __future__ import annotations

import os
import signal
import sys
from multiprocessing.connection import Connection
from pathlib import Path

from models.closing import closing
from models.closing.draft import Drafted
from models.config.loading import validated_settings
from models.records.closes import Close
from models.records.first_edition import TABLES
from models.records.statement import Statement

STEPS = ("open", "os.link", "os.mkdir", "os.remove")


def small(by: str) -> Close:
    """September, with nothing in it."""
    facts = {"version": "0.1.0"}
    tables: dict[str, list[dict[str, object]]] = {name: [] for name in TABLES}
    statement = Statement("2025-09", facts, tables)
    return Close(statement, 1, by, "2025-10-11T00:00:00+00:00", "", (), {}, ())


def close(folder: Path, by: str) -> None:
    """September is closed as the verb does it; its figures are those of `small`, not derived."""
    derived, closing.draft = closing.draft, lambda *_, **__: Drafted(small(by), ())
    try:
        closing.close(validated_settings({}, home=folder), "2025-09", by=by)
    finally:
        closing.draft = derived


def close_killed(folder: Path, step: int, said: Connection) -> None:
    """Closes it; ends without any clean-up at the step of that number."""
    steps = 0

    def count(event: str, given: tuple[object, ...]) -> None:
        if event in STEPS and str(folder) in str(given):
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
    close(folder, "first")
    said.send(steps)
