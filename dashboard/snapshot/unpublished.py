"""Decides what a page shows while no snapshot can be read."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from functools import wraps
from typing import ParamSpec, TypeVar

from dash.development.base_component import Component
from flask import g

from dashboard.snapshot.setup_steps import setup_steps
from dashboard.wording.setup_steps import SetupStep
from models.contract.errors import MissingDataError, StorageError

P = ParamSpec("P")
Drawn = TypeVar("Drawn")
logger = logging.getLogger(__name__)


def once_published(
    instead: Callable[[str, Sequence[SetupStep]], Component | None] = lambda *_: None,
) -> Callable[[Callable[P, Drawn]], Callable[P, Drawn | Component | None]]:
    """Returns a decorator for functions that draw; it draws `instead` without a readable snapshot.

    `instead` gets the reason if a snapshot exists but cannot be read, else an empty text and how
    far the way to the first one has come. What it returns is not cached
    (`dashboard.server.response_cache`).
    """

    def decorate(draw: Callable[P, Drawn]) -> Callable[P, Drawn | Component | None]:
        @wraps(draw)
        def drawn(*args: P.args, **kwargs: P.kwargs) -> Drawn | Component | None:
            try:
                return draw(*args, **kwargs)
            except MissingDataError:
                g.cache_key = ""
                return instead("", setup_steps())
            except StorageError as error:
                g.cache_key = ""
                logger.warning("%s", error)
                return instead(str(error), ())

        return drawn

    return decorate
