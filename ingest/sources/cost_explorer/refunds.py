"""Refunds change seldom: whose each is, is asked again only where they are not what they were.

Two requests tell it, a page each, and the one for all other charges can tell by day and usage what
was refunded, for nothing more. Where that is what the live delivery has, its lines still stand.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from decimal import Decimal

import pyarrow as pa
import pyarrow.compute as pc

from ingest.sources.cost_explorer.control_totals import NETS, SUMMED

CLOSE = Decimal("0.0001")
"""How far a group may be from the sum of its parts: AWS rounds each."""


def parted(lines: pa.Table, types: Sequence[str]) -> tuple[pa.Table, pa.Table]:
    """The lines of other record types, and those of `types`."""
    refunded = pc.is_in(lines["record_type"], pa.array(types, pa.string()))
    return lines.filter(pc.invert(refunded)), lines.filter(refunded)


def alike(ones: pa.Table, others: pa.Table) -> bool:
    """Whether both tell the same dollars of each day and usage."""
    told, known = _sums(ones), _sums(others)
    return all(
        abs(told[key][name] - known[key][name]) <= CLOSE
        for key in told.keys() | known.keys()
        for name in (*SUMMED, *NETS)
    )


def still(known: pa.Table, pairs: pa.Table) -> pa.Table:
    """What is known, as much an estimate as the months are that it is in."""
    lines = pairs.select(["month", "estimated"]).to_pylist()
    open_ = {line["month"] for line in lines if line["estimated"] == "true"}
    state = ["true" if month in open_ else "false" for month in known["month"].to_pylist()]
    place = known.column_names.index("estimated")
    return known.set_column(place, "estimated", pa.array(state, pa.string()))


def _sums(lines: pa.Table) -> defaultdict[tuple[str, str], defaultdict[str, Decimal]]:
    found: defaultdict[tuple[str, str], defaultdict[str, Decimal]]
    found = defaultdict(lambda: defaultdict(Decimal))
    for line in lines.select(["day", "usage_type", *SUMMED, *NETS]).to_pylist():
        for name in (*SUMMED, *NETS):
            found[line["day"], line["usage_type"]][name] += Decimal(line[name] or 0)
    return found
