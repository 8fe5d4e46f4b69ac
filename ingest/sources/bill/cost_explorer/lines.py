"""Defines a line of a Cost Explorer answer: one group, with each value as AWS wrote it."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from models.contract.errors import InputError

METRICS = {
    "AmortizedCost": "amortized",
    "NetAmortizedCost": "net_amortized",
    "UnblendedCost": "unblended",
    "NetUnblendedCost": "net_unblended",
    "UsageQuantity": "usage_quantity",
}
"""Requested together: AWS bills per request, not per metric."""
COLUMNS = (
    *("account", "month", "request", "day", "estimated", "tag_key", "run", "workload"),
    *("usage_type", "record_class", "record_type", "linked_account", "currency"),
    *METRICS.values(),
)
SCHEMA = pa.schema([(name, pa.string()) for name in COLUMNS])
Line = dict[str, str | None]
LinesByMonth = dict[str, pa.Table]
"""A table of lines for each month, `YYYY-MM`."""


def lines_of_months(months: Sequence[str], lines: LinesByMonth) -> pa.Table:
    """Concatenates the Cost Explorer lines of several months into one table."""
    return pa.concat_tables([lines[month] for month in months])


def split_by_month(months: Sequence[str], lines: pa.Table) -> LinesByMonth:
    """Splits a table of Cost Explorer lines into one table per month."""
    return {month: lines.filter(pc.equal(lines["month"], f"{month}-01")) for month in months}


def tag_value(key: str, group: str) -> str | None:
    """Returns the value in Cost Explorer's group key `key$value`; null for untagged spend."""
    prefix = f"{key}$"  # a value may hold a `$` itself
    if not group.startswith(prefix):
        raise InputError("Cost Explorer answered for another tag", value=group, remedy="run again")
    return group.removeprefix(prefix) or None
