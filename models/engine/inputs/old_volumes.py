"""Writes how much of each month's work the GPU pace before the move would have done as well.

Its rule is `models/marts/savings/volume/old_epochs.py`.
"""

from __future__ import annotations

from models.engine import contract_tables
from models.engine.context import BuildContext
from models.engine.warehouse.connection import fetch
from models.marts.savings.volume.old_epochs import old_volumes

READS = frozenset({"gpu_volume", "credited_daily", "baselines"})
FILLS = ("old_volume",)
MONTHS = """
WITH valued AS (
    SELECT workload, coalesce(recipe, '') AS kind, date FROM baselines WHERE value IS NOT NULL),
credited AS (
    SELECT workload, kind, strftime(date, '%Y-%m') AS month, sum(credited_epochs) AS credited_epochs
    FROM credited_daily SEMI JOIN valued USING (workload, kind, date)
    WHERE settled AND standing = 'counted' GROUP BY ALL)
SELECT gpu_volume.*, nullif(kind, '') AS recipe,
    coalesce(credited_epochs, 0)::DECIMAL(38, 9) AS credited_epochs
FROM gpu_volume LEFT JOIN credited USING (workload, kind, month)
ORDER BY workload, kind, month"""
"""A day without a baseline has no saving, so its work does not count here either."""


def fill_old_volumes(context: BuildContext) -> None:
    """Writes `old_volume`: per recipe and month, the work that the old GPU pace would have done.

    It has a row per kind of work and month. A month depends on the one before it: no SQL expression
    says that on every engine.
    """
    contract_tables.fill(context.backend, *FILLS, list(old_volumes(fetch(context.backend, MONTHS))))
