"""Every mart derived anew, in memory, from named deliveries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ibis.backends.duckdb import Backend

from models.closing.monthly_statement import Ask
from models.config.settings import Settings
from models.engine import build, cost_source
from models.engine.context import BuildContext
from models.engine.sql.compiled_sql import Compiled
from models.engine.warehouse import connection
from models.raw.zone import Delivery
from models.records.statement import Row


@contextmanager
def derived(
    settings: Settings, every: Sequence[Delivery], live: Sequence[Delivery]
) -> Iterator[Ask]:
    """Every mart from `live`, in memory; the warehouse is neither read nor written."""
    bills = cost_source.bills(live, settings)
    compiled = Compiled(settings.data)
    with connection.scratch() as backend:
        build.derive(BuildContext(settings, backend, compiled, every, live, bills))
        yield _asking(backend)


def _asking(backend: Backend) -> Ask:
    def ask(sql: str) -> list[Row]:
        cursor = backend.con.execute(sql)
        names = [column[0] for column in cursor.description or ()]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    return ask
