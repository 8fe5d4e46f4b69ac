"""The name of the row that sums all workloads."""

PORTFOLIO = "(portfolio)"
"""The row that sums all workloads and what names none; no workload may be called so."""
