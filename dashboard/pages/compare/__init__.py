"""Renders Compare: what an epoch costs by team, platform, region or any other dimension.

In: the runs that count for a cost per epoch. Out: bars, a grid and each run's own cost.
METHOD §4 says which runs count.
"""
