"""What one build carries through all of its steps, in one object (METHOD §1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ibis.backends.duckdb import Backend

from models.config.settings import Settings
from models.engine.sql.sql_cache import SqlCache
from models.raw.delivery import Delivery

if TYPE_CHECKING:
    from models.engine.spark.cluster import Cluster


@dataclass(frozen=True)
class BuildContext:
    """The settings, the connection, the cache of compiled SQL and the deliveries of one build.

    `deliveries` is all that was ever delivered, `live` the newest complete delivery of each key,
    `bills` the live deliveries that money comes from (`cost.source`). Delivered lines are reduced
    on `cluster`, or by DuckDB where there is none.
    """

    settings: Settings
    backend: Backend
    sql_cache: SqlCache
    deliveries: Sequence[Delivery] = ()
    live: Sequence[Delivery] = ()
    bills: Sequence[Delivery] = ()
    cluster: Cluster | None = None

    @classmethod
    def reading(
        cls, settings: Settings, backend: Backend, bills: Sequence[Delivery] = ()
    ) -> BuildContext:
        """The context of a question that reads delivered lines and builds nothing."""
        return cls(settings, backend, SqlCache(settings.data), bills=bills)

    def on(self, backend: Backend) -> BuildContext:
        """The same build over another connection to the same database."""
        return replace(self, backend=backend)
