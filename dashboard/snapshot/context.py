"""Holds what the requests of one server read from: the snapshot reader, settings, journals.

All reading goes through it, so a person sees only what their scope allows: the scope is passed to
the reader here, and company-wide data is refused to a person with a limited scope.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from typing import Any

from flask import Flask, current_app
from werkzeug.exceptions import NotFound

from dashboard.wording.setup_steps import SetupStep
from models.access.acting import current_person
from models.access.scope import Scope
from models.config.settings import Settings
from models.engine.warehouse.reader import Reader
from models.engine.warehouse.relations import Relations
from models.raw.pulls.feed_states import FeedJournal, FeedState
from models.raw.pulls.pull_history import Pull, PullHistory

EXTENSION = "breakeven"


@dataclass(frozen=True)
class DataContext:
    """What a request may read: the published snapshot, settings, states of feeds, pulls."""

    reader: Reader
    targets: Mapping[str, float]
    notice: str = ""
    tag_keys: tuple[str, str] = ("workload", "run")
    every_feed: Callable[[], Sequence[FeedState]] = tuple
    """Returns the state of each feed, independent of builds; with `as_of`, of those that failed."""
    every_pull: Callable[[], Sequence[Pull]] = tuple
    """Returns the newest pulls, also if `as_of` is set."""
    settings: Settings = Settings()  # noqa: RUF009 - frozen
    """The settings with which a month is closed."""
    checks_and_cost: Sequence[SetupStep] = ()
    """What the start of the server found missing, and what it will cost; before a first build."""

    @property
    def scope(self) -> Scope:
        """Returns the scope of who sends the request: which workloads they may see."""
        return current_person().scope

    @property
    def mark(self) -> str | None:
        """Returns the cache key of snapshot and reader's scope; None without a snapshot."""
        snapshot = self.reader.mark
        return snapshot and f"{snapshot} {self.scope}"

    @property
    def company(self) -> Settings:
        """Returns the settings; raises `NotFound` if the reader may not see all workloads."""
        self.refuse_scoped()
        return self.settings

    def refuse_scoped(self) -> None:
        """Raises `NotFound` (404) if the reader may not see all workloads."""
        if not self.scope.everything:
            raise NotFound

    def feeds(self) -> Sequence[FeedState]:
        """Lists the state of each data feed; empty for a reader who may not see all workloads.

        With a pinned `as_of` it lists only the feeds that failed.
        """
        return self.every_feed() if self.scope.everything else ()

    def pulls(self) -> Sequence[Pull]:
        """Lists the newest pulls; empty for a reader who may not see all workloads."""
        return self.every_pull() if self.scope.everything else ()

    def rows(self, sql: str, parameters: Mapping[str, object]) -> list[dict[str, Any]]:
        """Runs SQL with parameters on what the reader may see of the snapshot; returns its rows."""
        return self.reader.rows(sql, parameters, self.scope)

    def one_snapshot(self) -> AbstractContextManager[Relations]:
        """Opens what the reader may see of one snapshot, for several queries that must agree."""
        return self.reader.one_snapshot(self.scope)


def attach_data(
    server: Flask, settings: Settings, checks_and_cost: Sequence[SetupStep] = ()
) -> None:
    """Attaches to a Flask server what its requests read: snapshot, settings, journals, checks."""
    targets = {w.name: w.target_loss for w in settings.workloads if w.target_loss is not None}
    server.extensions[EXTENSION] = DataContext(
        Reader(settings.data / "snapshots"),
        targets,
        settings.notice,
        (settings.tags.workload, settings.tags.run),
        partial(_feeds, FeedJournal(settings.data), settings),
        PullHistory(settings.data).newest,
        settings,
        checks_and_cost,
    )


def _feeds(journal: FeedJournal, settings: Settings) -> list[FeedState]:
    """Lists the state of each data feed; only of failed ones if the config pins `as_of`."""
    found = journal.feeds(settings)
    return [feed for feed in found if feed.last_error] if settings.as_of else found


def data_context() -> DataContext:
    """Returns the `DataContext` of the server of the current request: snapshot, settings, feeds."""
    found: DataContext = current_app.extensions[EXTENSION]
    return found
