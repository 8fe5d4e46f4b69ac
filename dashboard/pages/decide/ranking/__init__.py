"""Ranks the GPU workloads that have not moved, by their expected payback.

In: their GPU cost and pace, and the share of the GPU cost that moved workloads have saved.
Out: saving per month, porting cost and payback of each, with a range. Chapter: METHOD §6.4.
"""
