"""Decides whether refunds changed, so that they must be requested by tag again.

Two requests, a page each, show whose the refunds are. The request for all other charges includes
them by day and usage type, at no extra cost. If those sums equal the live delivery's, its refund
lines are used again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from decimal import Decimal

import pyarrow as pa
import pyarrow.compute as pc

from ingest.sources.bill.cost_explorer.control_totals import NETS, SUMMED

CLOSE = Decimal("0.0001")
"""The accepted difference between a group and the sum of its parts: AWS rounds each."""


def split_refunds(lines: pa.Table, types: Sequence[str]) -> tuple[pa.Table, pa.Table]:
    """Splits lines in two tables: all others, and the refunds, by their record types."""
    refunded = pc.is_in(lines["record_type"], pa.array(types, pa.string()))
    return lines.filter(pc.invert(refunded)), lines.filter(refunded)


def same_amounts(ones: pa.Table, others: pa.Table) -> bool:
    """Whether two tables have the same dollars, to $0.0001, for each day and usage type."""
    new, known = _sums(ones), _sums(others)
    return all(
        abs(new[key][name] - known[key][name]) <= CLOSE
        for key in new.keys() | known.keys()
        for name in (*SUMMED, *NETS)
    )


def with_current_state(known: pa.Table, tag_totals: pa.Table) -> pa.Table:
    """Returns delivered refunds, marked as estimated where their month now is."""
    lines = tag_totals.select(["month", "estimated"]).to_pylist()
    open_ = {line["month"] for line in lines if line["estimated"] == "true"}
    state = ["true" if month in open_ else "false" for month in known["month"].to_pylist()]
    place = known.column_names.index("estimated")
    return known.set_column(place, "estimated", pa.array(state, pa.string()))


def _sums(lines: pa.Table) -> defaultdict[tuple[str, str], defaultdict[str, Decimal]]:
    """Sums the amounts of Cost Explorer lines by day and usage type."""
    found: defaultdict[tuple[str, str], defaultdict[str, Decimal]]
    found = defaultdict(lambda: defaultdict(Decimal))
    for line in lines.select(["day", "usage_type", *SUMMED, *NETS]).to_pylist():
        for name in (*SUMMED, *NETS):
            found[line["day"], line["usage_type"]][name] += Decimal(line[name] or 0)
    return found
