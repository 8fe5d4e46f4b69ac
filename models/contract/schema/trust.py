"""Columns of the marts that say how far the numbers can be relied on."""

from __future__ import annotations

from collections.abc import Mapping

from models.contract.schema.types import MONEY, NUMBER

UNMATCHED_RUNS: Mapping[str, str] = {
    "workload": "string",
    "run": "string",
    "seen_in": "string",
    "first_day": "date",
    "last_day": "date",
    "cost": MONEY,
    "accelerator_hours": NUMBER,
    "epochs": NUMBER,
    "cause": "string",
    "counterpart_workload": "string",
    "counterpart_run": "string",
    "tag_rule": "string",
    "detail": "string",
}

RESTATEMENTS: Mapping[str, str] = {
    "month": "string",
    "billing_account": "string",
    "account": "string",
    "source": "string",
    "pulled_at": "timestamp",
    "settled": "boolean",
    "counted": "boolean",
    "old_billed": MONEY,
    "new_billed": MONEY,
    "billed_change": MONEY,
    "old_effective": MONEY,
    "new_effective": MONEY,
    "effective_change": MONEY,
}

LATE_CHANGES: Mapping[str, str] = {
    "month": "string",
    "since": "timestamp",
    "changed_at": "timestamp",
    "change": MONEY,
    "total": MONEY,
}
"""The recent restatements of settled months, by month and in all."""

FRESHNESS: Mapping[str, str] = {
    "source": "string",
    "account": "string",
    "last_success": "timestamp",
    "last_attempt": "timestamp",
    "last_error": "string",
    "fresh_until": "timestamp",
    "stale": "boolean",
    "why": "string",
    "newest_day": "date",
    "gap_days": "int64",
    "settled_through": "date",
    "restated_cost": MONEY,
    "requests_today": "int64",
    "dollars_today": MONEY,
    "notice": "string",
}

SNAPSHOT: Mapping[str, str] = {
    "version": "string",
    "snapshot_id": "string",
    "as_of": "date",
    "settled_through": "date",
    "basis": "string",
    "baseline_method": "string",
    "edition": "int64",
}
"""One row that describes the snapshot; `edition` is that of the method."""

QUERIES: Mapping[str, str] = {"mart": "string", "sql": "string"}
"""The SQL of each mart."""

MARTS: Mapping[str, Mapping[str, str]] = {
    "unmatched_runs": UNMATCHED_RUNS,
    "restatements": RESTATEMENTS,
    "freshness": FRESHNESS,
}
"""Published marts of this chapter."""
