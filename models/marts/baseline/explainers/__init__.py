"""Publishes tables from which a baseline can be recomputed by hand (METHOD §5).

In: the windows and the terms of the repriced baseline. Out: `baseline_runs` and `baseline_hours`
for the end of each month, `baseline_parts` for the last settled day.
"""
