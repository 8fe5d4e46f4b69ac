"""Holds the snapshot reader of a server, and what to draw while there is nothing to read."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, wraps
from typing import Any, ParamSpec, TypeVar

from dash.development.base_component import Component
from flask import Flask, current_app, g

from models.config.settings import Settings
from models.contract.errors import MissingDataError, StorageError
from models.engine.warehouse import Reader
from models.raw.feeds import Feed, Journal
from models.raw.pull_log import Pull, PullLog

P = ParamSpec("P")
Drawn = TypeVar("Drawn")

logger = logging.getLogger(__name__)

EXTENSION = "breakeven"


@dataclass(frozen=True)
class Door:
    """What the requests of one server read from."""

    reader: Reader
    targets: Mapping[str, float]
    notice: str = ""
    tag_keys: tuple[str, str] = ("workload", "run")
    feeds: Callable[[], Sequence[Feed]] = tuple
    """How each feed is doing by now, whether or not a build could tell; none of a pinned world."""
    pulls: Callable[[], Sequence[Pull]] = tuple
    """What the newest pulls brought, of a pinned world, too: they are what was done."""
    settings: Settings = Settings()  # noqa: RUF009 - frozen
    """What a month is closed with."""

    def rows(self, sql: str, parameters: Mapping[str, object]) -> list[dict[str, Any]]:
        """The rows of a query with named parameters."""
        return self.reader.rows(sql, parameters)


def open_door(server: Flask, settings: Settings) -> None:
    """Makes the snapshots beside the warehouse readable from this server's requests."""
    targets = {w.name: w.target_loss for w in settings.workloads if w.target_loss is not None}
    server.extensions[EXTENSION] = Door(
        Reader(settings.data / "snapshots"),
        targets,
        settings.notice,
        (settings.tags.workload, settings.tags.run),
        tuple if settings.as_of else partial(Journal(settings.data).feeds, settings),
        PullLog(settings.data).newest,
        settings,
    )


def door() -> Door:
    """Of the server that answers the current request."""
    found: Door = current_app.extensions[EXTENSION]
    return found


def once_published(
    instead: Callable[[str], Component | None] = lambda _: None,
) -> Callable[[Callable[P, Drawn]], Callable[P, Drawn | Component | None]]:
    """Draws `instead` until there is a snapshot to read, with the reason where one cannot be read.

    Such an answer is not given again (`dashboard.answers`).
    """

    def decorate(draw: Callable[P, Drawn]) -> Callable[P, Drawn | Component | None]:
        @wraps(draw)
        def drawn(*args: P.args, **kwargs: P.kwargs) -> Drawn | Component | None:
            try:
                return draw(*args, **kwargs)
            except MissingDataError:
                g.asked = ""
                return instead("")
            except StorageError as error:
                g.asked = ""
                logger.warning("%s", error)
                return instead(str(error))

        return drawn

    return decorate
