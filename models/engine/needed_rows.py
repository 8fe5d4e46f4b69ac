"""Names marts that stay empty unless certain input rows exist, and looks whether these exist."""

from __future__ import annotations

from collections.abc import Mapping

from ibis.backends.duckdb import Backend

EVERY_ROW = "true"
OF_POOLS, OF_IDLE = {"pool_days": EVERY_ROW}, {"idle_commitments": EVERY_ROW}
ONLY_WITH: Mapping[str, Mapping[str, str]] = {
    "instances_without_accelerators": {"usage_types": "of_pod"},
    "pool_days": {"charge_kinds": "holding IS NOT NULL"},
    "pool_shares": OF_POOLS,
    "pool_idle": {"pool_shares": EVERY_ROW},
    "pools": OF_POOLS,
    "allocation_coverage": OF_POOLS,
    "gpu_idle_shares": OF_POOLS,
    "block_spend": {
        "charge_kinds": "unpriced", "instances_without_accelerators": EVERY_ROW,
        "block_fees": EVERY_ROW, "known_blocks": EVERY_ROW,
    },
    "commitment_shares": OF_IDLE,
    "commitments": {"commitment_shares": EVERY_ROW},
    "idle_by_kind": OF_IDLE,
    "benchmark_runs": {"run_registry": "purpose = 'benchmark'"},
    "benchmarks": {"benchmark_runs": EVERY_ROW},
}  # fmt: skip
"""Marts that are long to plan, and the rows without which they have none, by table and condition:
few bills have pods, Capacity Blocks or idle commitments, and few companies benchmark."""


def has_what_it_needs(backend: Backend, name: str) -> bool:
    """Whether the rows exist without which a mart is empty; true for marts that need none."""
    if name not in ONLY_WITH:
        return True
    needed = ONLY_WITH[name].items()
    rows = " UNION ALL ".join(f"SELECT 1 FROM {table} WHERE {which}" for table, which in needed)
    return bool(backend.con.execute(f"{rows} LIMIT 1").fetchall())
