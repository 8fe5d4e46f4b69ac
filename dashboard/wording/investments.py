"""Names the kinds of investment in words for readers, such as `work of a partner`."""

from __future__ import annotations

KINDS = {
    "engineering": "engineering",
    "partner": "work of a partner",
    "tooling": "tools",
    "dual_run": "training on both at once",
    "funding": "funding",
    "upkeep": "upkeep",
    "port": "runs of the port",
    "validation": "validation runs",
    "benchmark": "benchmarks",
    "baseline": "GPU runs for the baseline",
    "overhead_before_cutover": "idle Trainium before the first run",
    "pool_before_cutover": "idle pool before the first run",
    "stranded_commitment": "unused GPU commitments",
    "stranded_cluster": "idle GPU pool after the move",
}
"""Kinds of `[[investments]]`, then those that are computed from the bill."""


def investment_kind(kind: str) -> str:
    """Returns an investment's kind in words; an unknown kind as it is, without underscores."""
    return KINDS.get(kind, kind.replace("_", " "))
