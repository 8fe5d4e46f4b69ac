"""Recomputes the marts that a statement is made of, in memory, from given deliveries."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from models.closing.monthly_statement import INPUT_TABLES, Ask
from models.config.settings import Settings
from models.engine import build, cost_source
from models.engine.context import BuildContext
from models.engine.sql.sql_cache import SqlCache
from models.engine.warehouse.connection import fetch, in_memory
from models.raw.delivery import Delivery

STATEMENT_TABLES = (
    *("month_facts", "tie_out", "runs", "spend_daily", "progress_daily", "portfolio_daily"),
    *("baselines", "savings_daily", "savings_by_kind", *INPUT_TABLES),
    *("settled_accounts", "freshness", "pool_use", "unsettled_spend"),
)
"""The tables that a statement and the conditions of a close read: no forecast is among them."""


@contextmanager
def derived(
    settings: Settings,
    every: Sequence[Delivery],
    live: Sequence[Delivery],
    tables: Collection[str] = STATEMENT_TABLES,
) -> Iterator[Ask]:
    """Computes a statement's tables in memory from given deliveries; yields a query function."""
    bills = cost_source.bills(live, settings)
    compiled = SqlCache(settings.data)
    with in_memory() as backend:
        build.derive(BuildContext(settings, backend, compiled, every, live, bills), tables)
        yield partial(fetch, backend)
