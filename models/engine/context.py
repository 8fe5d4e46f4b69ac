"""The object that every step of a build receives: settings, connection, deliveries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ibis.backends.duckdb import Backend

from models import formats
from models.config.settings import Settings
from models.engine.sql.sql_cache import SqlCache
from models.raw.delivery import Delivery

if TYPE_CHECKING:
    from models.engine.spark.cluster import Cluster


@dataclass(frozen=True)
class BuildContext:
    """Everything a build works with: settings, DuckDB connection, compiled SQL, deliveries.

    `deliveries` is all that was ever delivered, `live` the newest complete delivery of each key,
    `bills` the live deliveries that money comes from (`cost.source`). Delivered lines are reduced
    on `cluster`, or by DuckDB where there is none. `texts_ready` waits for the process that
    compiles the SQL of marts, if there is one.
    """

    settings: Settings
    backend: Backend
    sql_cache: SqlCache
    deliveries: Sequence[Delivery] = ()
    live: Sequence[Delivery] = ()
    bills: Sequence[Delivery] = ()
    cluster: Cluster | None = None
    texts_ready: Callable[[], None] = lambda: None

    @property
    def shares_machines(self) -> bool:
        """Whether allocations were delivered, which divide machines among jobs (METHOD §2.10)."""
        return any(formats.named(each.format).VIEW == "allocations" for each in self.live)

    @classmethod
    def reading(
        cls,
        settings: Settings,
        backend: Backend,
        bills: Sequence[Delivery] = (),
        live: Sequence[Delivery] = (),
    ) -> BuildContext:
        """Returns a context of settings, connection and deliveries for queries outside a build."""
        return cls(settings, backend, SqlCache(settings.data), live=live, bills=bills)

    def on(self, backend: Backend) -> BuildContext:
        """Returns a copy of this context with another connection to the same database."""
        return replace(self, backend=backend)
