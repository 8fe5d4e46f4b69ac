"""Computes what a unit of work costs on GPU: the baseline for Trainium's savings (METHOD §5).

In: lineages with their work, cost and comparability, and the prices of instances. Out: `baselines`,
the value of each kind of work and day, and tables from which it can be redone by hand. Chapter:
METHOD §5.
"""

from __future__ import annotations

from collections.abc import Callable

import ibis.expr.types as ir

from models.marts.baseline.alternatives import alternatives
from models.marts.baseline.baselines import baselines
from models.marts.baseline.benchmarks.benchmark_runs import benchmark_runs
from models.marts.baseline.benchmarks.benchmarks import benchmarks
from models.marts.baseline.explainers.baseline_hours import baseline_hours
from models.marts.baseline.explainers.baseline_parts import baseline_parts
from models.marts.baseline.explainers.baseline_runs import baseline_runs
from models.marts.baseline.gpu_use import gpu_use
from models.marts.baseline.payers.applicable_discounts import applicable_discounts
from models.marts.baseline.payers.payer_use import payer_use
from models.marts.baseline.windows.baseline_window import baseline_window
from models.marts.baseline.windows.qualifying_runs import qualifying_runs

BASELINE: tuple[Callable[..., ir.Table], ...] = (
    gpu_use,
    payer_use,
    applicable_discounts,
    baseline_window,
    qualifying_runs,
    baselines,
    baseline_runs,
    baseline_hours,
    baseline_parts,
    benchmark_runs,
    benchmarks,
    alternatives,
)
"""In the order in which a build should begin them, as far as they depend on each other."""
