"""Derives every mart anew, in memory, from given deliveries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from models.closing.monthly_statement import Ask
from models.config.settings import Settings
from models.engine import build, cost_source
from models.engine.context import BuildContext
from models.engine.sql.sql_cache import SqlCache
from models.engine.warehouse.connection import fetch, in_memory
from models.raw.delivery import Delivery


@contextmanager
def derived(
    settings: Settings, every: Sequence[Delivery], live: Sequence[Delivery]
) -> Iterator[Ask]:
    """Derives every mart from `live` in memory; the warehouse is neither read nor written."""
    bills = cost_source.bills(live, settings)
    compiled = SqlCache(settings.data)
    with in_memory() as backend:
        build.derive(BuildContext(settings, backend, compiled, every, live, bills))
        yield partial(fetch, backend)
