"""Refuses a config in which a workload ends before its first run; only a build can check this."""

from __future__ import annotations

from ibis.backends.duckdb import Backend

from models.contract.errors import ConfigError
from models.engine.warehouse.connection import fetch

EARLY = """
SELECT workload, any_value(ends) AS ends, min(date) AS first
FROM work_daily JOIN config_workloads USING (workload)
WHERE active GROUP BY workload HAVING any_value(ends) < min(date) ORDER BY workload LIMIT 1"""


def refuse_early_ends(backend: Backend) -> None:
    """Raises `ConfigError` if a workload's `ends` is before the first day on which it trained."""
    for row in fetch(backend, EARLY):
        raise ConfigError(
            f"workloads: {row['workload']} ends before its first run",
            value=f"ends = {row['ends']}",
            remedy=f"it trained on {row['first']}: write the last day on which it will be trained",
        )
