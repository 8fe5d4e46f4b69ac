"""Computes the GPU cost per unit by each method: measured, repriced, fixed, conservative.

In: the lineages of a window with their cost, hours and work, and the prices of a day. Out:
`baseline_steps`, the cost of each window measured and repriced, and the expressions that choose one
of them for a day. Chapter: METHOD §5.
"""
