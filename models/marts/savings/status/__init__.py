"""Decides a workload's status (investing, recovering, losing, broke even, …), and says why.

In: totals and recent sums at each cutoff, verdicts, baselines, what bills lack. Out: `status` of
`standings` and of `break_even`, and the `remarks` that pages show with it. Chapter: METHOD §6.5.
"""
