"""Converts delivered lines to typed tables: one format, one module, a pure function of tables.

In: the lines of deliveries, each filed under the `NAME` of its format. Out: rows of one of our
tables (`charges`, `progress`, `prices`, `capacity`, `jobs`, `utilisation`, `allocations`), and the
lines that must be refused. The rules are METHOD §2 (bill, market, allocations) and §3 (progress).
"""

from __future__ import annotations

from models.contract.errors import StorageError
from models.formats import allocations, bill, machines, market, progress
from models.formats.bill import PARENT_COLUMNS as PARENT_COLUMNS
from models.formats.bill import PERIOD_COLUMNS as PERIOD_COLUMNS
from models.formats.bill import PRE_AGGREGATIONS as PRE_AGGREGATIONS
from models.formats.bill import READ_WHOLE as READ_WHOLE
from models.formats.bill import RESOURCE_COLUMNS as RESOURCE_COLUMNS
from models.formats.format import Format as Format
from models.formats.progress import KNOWN_COLUMNS as KNOWN_COLUMNS
from models.formats.progress import UNLIKE_OTHERS as UNLIKE_OTHERS

FORMATS: tuple[Format, ...] = (
    *bill.FORMATS,
    *progress.FORMATS,
    *machines.FORMATS,
    *market.FORMATS,
    *allocations.FORMATS,
)
"""Every format; there is no folder scanning."""


def named(name: str) -> Format:
    """Returns the module that reads a delivery's format; `StorageError` if the name is unknown."""
    for form in FORMATS:
        if name == form.NAME:
            return form
    raise StorageError("a delivery has an unknown format", value=name, remedy="update breakeven")
