"""Names the statuses of workloads that have not moved yet (METHOD §6.5)."""

from __future__ import annotations

NOT_MOVED_YET = ("investing", "not_started")
"""Statuses of workloads without a settled production run on Trainium."""
