"""Decides whether a workload is investing, recovering, losing or paid back, and says why in words.

In: totals and recent sums at each cutoff, verdicts, baselines, what bills lack. Out: `status` of
`standings` and of `break_even`, and the `remarks` that pages show with it. Chapter: METHOD §6.5.
"""
