"""The columns of `charge_kinds` that say from when to when machines are charged to a run."""

from __future__ import annotations

from models.contract.schema import NUMBER

CHARGES = {
    "date": "date", "workload": "string", "run": "string", "bucket": "string",
    "accelerated": "boolean", "instance_hours": NUMBER, "first_hour": "timestamp",
    "last_hour": "timestamp",
}  # fmt: skip
