"""Opens the rows of an export: a published mart, or delivered rows in breakeven's own columns.

A mart is read from the published snapshot, delivered rows from the files of the live deliveries.
Nothing here opens the warehouse, so an export never waits for a build.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import pyarrow as pa

from models.config.refusals.unknown_keys import nearest
from models.config.settings import Settings
from models.contract import schema
from models.contract.errors import ConfigError, MissingDataError
from models.engine import cost_source
from models.engine.context import BuildContext
from models.engine.reduction import delivered_files
from models.engine.warehouse import connection
from models.engine.warehouse.relations import Relations, published
from models.raw.zone import RawZone

NAMES = (*schema.MARTS, *schema.EXPLAINERS, *schema.DELIVERED)
OF_DAY = "strftime(date, '%Y-%m')"
MONTHS = {
    name: "month" if "month" in columns else OF_DAY
    for name, columns in {**schema.MARTS, **schema.EXPLAINERS}.items()
    if not {"month", "date"}.isdisjoint(columns)
} | {
    "cost_per_epoch": "strftime(period_start, '%Y-%m')",
    "charges": "strftime(\"BillingPeriodStart\", '%Y-%m')",
    "progress": "strftime(observed_at, '%Y-%m')",
}
"""What `--month` compares with, where a row has a month."""
COLUMNS = {"progress": "* REPLACE (CASE WHEN isfinite(loss) THEN loss END AS loss)"}
"""Columns exported otherwise than stored: a loss that is NaN or infinite becomes null."""


class Extract(NamedTuple):
    """The rows of an export as Arrow record batches, with the table's name and its schema."""

    name: str
    schema: pa.Schema
    batches: Iterator[pa.RecordBatch]


@contextmanager
def extract(name: str, settings: Settings, month: str | None = None) -> Iterator[Extract]:
    """Yields the sorted rows of a mart or delivered table to export, of one month if given.

    Raises `MissingDataError` for a month without rows; without a month there may be none.
    """
    check(name, month)
    where = f" WHERE {MONTHS[name]} = '{month}'" if month else ""
    with _relation(name, settings) as reader:
        if month and not reader.count(name, where):
            raise MissingDataError(
                f"{name} has no rows for this month",
                value=month,
                remedy=_span(reader.months(name, MONTHS[name])),
            )
        columns = COLUMNS.get(name, "*")
        found = reader.batches(f'SELECT {columns} FROM "{name}"{where} ORDER BY ALL')
        yield Extract(name, found.schema, iter(found))


def check(name: str, month: str | None) -> None:
    """Raises `ConfigError` for an unknown table, or for a month of a table without months."""
    if name not in NAMES:
        raise ConfigError(
            "nothing of this name can be exported", value=name, remedy=nearest(name, NAMES)
        )
    if month and name not in MONTHS:
        raise ConfigError(f"{name} has no months", value=month, remedy="leave --month out")


def _span(months: list[str]) -> str:
    return f"there are {months[0]} to {months[-1]}" if months else "there are none at all"


@contextmanager
def _relation(name: str, settings: Settings) -> Iterator[Relations]:
    if name not in schema.DELIVERED:
        with published(settings.data / "snapshots") as reader:
            yield reader
        return
    live = RawZone(settings.data / "raw").live()
    deliveries = cost_source.bills(live, settings) if name == "charges" else live
    with connection.in_memory() as backend:
        mine = [delivery for delivery in deliveries if delivered_files.view_of(delivery) == name]
        delivered_files.create_view(BuildContext.reading(settings, backend), name, mine)
        yield Relations(backend.con)
