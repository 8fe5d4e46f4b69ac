"""Reads a workload's benchmarks, and the GPU machines that could be rented instead."""

from __future__ import annotations

from dashboard.snapshot.rows import Row, read_rows


def benchmarks(workload: str) -> list[Row]:
    """Reads a workload's benchmarks in order of recipe, hardware (GPU first) and platform."""
    return read_rows(
        "SELECT * FROM benchmarks WHERE workload = $workload ORDER BY recipe, hardware, platform",
        workload=workload,
    )


def alternatives(workload: str) -> list[Row]:
    """Reads a workload's GPU offers with a price; first those that need least of peak speed."""
    return read_rows(
        """SELECT * FROM alternatives WHERE workload = $workload AND usd_per_hour IS NOT NULL
           ORDER BY needed_speedup / peak_speedup NULLS LAST, peak_speedup DESC NULLS LAST,
             instance_type, offer""",
        workload=workload,
    )
