"""SQL conditions that several selections share, on parameters that an address gives."""

from __future__ import annotations

OF_WORKLOAD = "($workload = '' OR workload = $workload)"
STANDING_OF = "workload = coalesce(nullif($workload, ''), '(portfolio)')"
IN_RANGE = "date BETWEEN $first AND $last"
OBSERVED_IN_RANGE = "CAST(observed_at AS DATE) BETWEEN $first AND $last"
OF_RUNS_OR_SHARED = "attribution IN ('direct', 'shared')"
OF_WORKLOADS = "attribution IN ('direct', 'shared', 'overhead', 'idle_commitment')"
OF_MONTH = """strftime(date, '%Y-%m') = $month"""
