"""Lists runs with costs that Cost Explorer cannot attribute, as it groups by two keys only.

For a record type that `ingest` has no request for, Cost Explorer reports the run or the usage but
not both, so the charge is counted in the bill and not in the run's cost. Lines of the request
`left` name the run. Costs that belong to no run in any case are left out (METHOD §2.2, §2.6), and
so are discounts if net figures contain them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

from models.engine.context import BuildContext
from models.formats.bill import cost_explorer

GROSS, NET = ("amortized", "unblended"), ("net_amortized", "net_unblended")
QUERY = """
SELECT account, month[:7] AS month, request, run, record_type, COLUMNS(?)
FROM read_parquet(?, union_by_name = true, hive_partitioning = false) WHERE request IN ?"""
NEVER = ("credit", "tax", "savingsplannegation", *cost_explorer.COMMITMENTS)
"""Record types that are in no run's cost, whatever their tags; support is not either."""


def runs(context: BuildContext) -> Iterator[dict[str, Any]]:
    """Lists run, account and month of costs for which Cost Explorer gives no usage type.

    Cost Explorer groups by two keys only, and the request for these costs has the run as one.
    """
    mine = (each for each in context.bills if each.format == cost_explorer.NAME)
    files = [str(path) for delivery in mine for path in delivery.paths]
    if not files:
        return
    given = ["^(net_)?(amortized|unblended)$", files, list(cost_explorer.REPEATED)]
    lines = context.backend.con.sql(QUERY, params=given).to_arrow_table().to_pylist()
    net = {(line["account"], line["month"]) for line in lines if _any(line, NET)}
    found = set()
    for line in lines:
        bill = line["account"], line["month"]
        costs = _any(line, NET if bill in net else GROSS)
        if line["request"] == "left" and line["run"] and costs and _counts(line["record_type"]):
            found.add((line["run"], *bill))
    for run, account, month in sorted(found):
        yield {"run": run, "billing_account": account, "billing_period": month}


def _any(line: dict[str, Any], names: Sequence[str]) -> bool:
    return any(Decimal(line[name] or 0) for name in names)


def _counts(record_type: str | None) -> bool:
    kind = re.sub(r"[^a-z]", "", (record_type or "").lower())
    return kind not in NEVER and not kind.startswith("support")
