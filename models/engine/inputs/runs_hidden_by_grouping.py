"""Runs with costs that Cost Explorer cannot name, because it groups by two keys only.

Of a record type that `ingest` has no request for it tells the run or the usage, not both, so such a
charge is the bill's and not the run's. `left` lines say whose it would be; what is no run's cost in
any case (METHOD §2.2, §2.6) does not count, nor a discount where net figures hold it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

from models.engine.context import BuildContext
from models.formats.bill import cost_explorer

GROSS, NET = ("amortized", "unblended"), ("net_amortized", "net_unblended")
TOLD = """
SELECT account, month[:7] AS month, request, run, record_type, COLUMNS(?)
FROM read_parquet(?, union_by_name = true) WHERE request IN ?"""
NEVER = ("credit", "tax", "savingsplannegation", *cost_explorer.COMMITMENTS)
"""Record types that are no run's cost, whoever's tag they bear; besides, whatever is support."""


def runs(context: BuildContext) -> Iterator[dict[str, Any]]:
    """Runs that have costs in a bill which Cost Explorer reports without a run."""
    mine = (each for each in context.bills if each.format == cost_explorer.NAME)
    files = [str(path) for delivery in mine for path in delivery.paths]
    if not files:
        return
    given = ["^(net_)?(amortized|unblended)$", files, list(cost_explorer.REPEATED)]
    lines = context.backend.con.sql(TOLD, params=given).to_arrow_table().to_pylist()
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
