"""Columns of the table of the bill's dollars that savings deduct (METHOD §6)."""

from __future__ import annotations

from collections.abc import Mapping

from models.contract.schema.types import MONEY

COUNTED_COSTS: Mapping[str, str] = {
    "date": "date",
    "workload": "string",
    "part": "string",
    "run": "string",
    "commitment": "string",
    "cluster": "string",
    "instance_type": "string",
    "amount": MONEY,
}
"""What cumulative net savings deduct of the bill, as cost of runs, overhead or investment (`part`).

`commitment` and `cluster` with `instance_type` name what stood idle. Idle of a commitment that
fell on a workload has the days of the covered hours; else all have the days of the charges."""
