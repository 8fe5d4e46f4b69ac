"""Names groups of cost buckets, the values of `attribution` in `spend_daily` (METHOD §2.6).

`models.marts.cost.attribution_buckets` decides in which bucket a charge is.
"""

from __future__ import annotations

UNTAGGED = "untagged"
"""The bucket of accelerator charges that name neither a run nor a workload."""
OF_RUNS = ("direct", "shared")
"""Buckets that make up the cost of runs."""
WITHOUT_RUN_TAG = ("shared", "overhead")
"""Buckets of charges that name a workload and no run."""
OF_WORKLOADS = (*OF_RUNS, "overhead", "idle_commitment")
"""Buckets of what a workload costs, in runs and outside them."""
OF_RUNNING_MACHINES = (*OF_RUNS, "cluster_idle", "overhead", UNTAGGED)
"""Buckets of machines that ran, also of shared machines that no job held.

Without idle commitment: for its hours no machine ran.
"""
OF_TRAINING = (*OF_RUNNING_MACHINES, "idle_commitment")
"""Buckets that figures about training have; a fee, tax or credit is in none of them."""
BESIDE_USAGE = ("tax", "support", "credit", "refund", "purchase")
"""Buckets of what AWS bills beside usage."""
