"""Holds what the requests of one server read from: the snapshot reader, settings, journals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from flask import Flask, current_app

from models.config.settings import Settings
from models.engine.warehouse.reader import Reader
from models.raw.feed_states import FeedJournal, FeedState
from models.raw.pull_history import Pull, PullHistory

EXTENSION = "breakeven"


@dataclass(frozen=True)
class DataContext:
    """What a request may read: the published snapshot, settings, feeds and pulls."""

    reader: Reader
    targets: Mapping[str, float]
    notice: str = ""
    tag_keys: tuple[str, str] = ("workload", "run")
    feeds: Callable[[], Sequence[FeedState]] = tuple
    """How each feed is doing by now, whether or not a build could tell; none of a pinned world."""
    pulls: Callable[[], Sequence[Pull]] = tuple
    """What the newest pulls brought, of a pinned world, too: they are what was done."""
    settings: Settings = Settings()  # noqa: RUF009 - frozen
    """What a month is closed with."""

    def rows(self, sql: str, parameters: Mapping[str, object]) -> list[dict[str, Any]]:
        """Runs an SQL statement with named parameters on the current snapshot; returns its rows."""
        return self.reader.rows(sql, parameters)


def attach_data(server: Flask, settings: Settings) -> None:
    """Attaches the snapshot reader and settings to a Flask server."""
    targets = {w.name: w.target_loss for w in settings.workloads if w.target_loss is not None}
    server.extensions[EXTENSION] = DataContext(
        Reader(settings.data / "snapshots"),
        targets,
        settings.notice,
        (settings.tags.workload, settings.tags.run),
        tuple if settings.as_of else partial(FeedJournal(settings.data).feeds, settings),
        PullHistory(settings.data).newest,
        settings,
    )


def data_context() -> DataContext:
    """Returns the snapshot reader and settings of the server of the current request."""
    found: DataContext = current_app.extensions[EXTENSION]
    return found
