"""What Cost Explorer answered, as lines: a group of a request, in columns, each as it was said."""

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
"""All with one request: the price is per request, not per metric."""
COLUMNS = (
    *("account", "month", "request", "day", "estimated", "tag_key", "run", "workload"),
    *("usage_type", "record_class", "record_type", "linked_account", "currency"),
    *METRICS.values(),
)
SCHEMA = pa.schema([(name, pa.string()) for name in COLUMNS])
Line = dict[str, str | None]
Told = dict[str, pa.Table]
"""Lines by month."""


def together(months: Sequence[str], told: Told) -> pa.Table:
    """The lines of these months."""
    return pa.concat_tables([told[month] for month in months])


def by_month(months: Sequence[str], lines: pa.Table) -> Told:
    """The lines of each of these months."""
    return {month: lines.filter(pc.equal(lines["month"], f"{month}-01")) for month in months}


def value(key: str, told: str) -> str | None:
    """The value of a tag's group `key$value`; null for spend without the tag."""
    prefix = f"{key}$"  # a value may hold a `$` itself
    if not told.startswith(prefix):
        raise InputError("Cost Explorer answered for another tag", value=told, remedy="run again")
    return told.removeprefix(prefix) or None
