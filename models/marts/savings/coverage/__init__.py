"""Computes how much Trainium spend has a GPU baseline, and what a baseline for the rest costs.

In: cost of production on Trainium, baselines, GPU runs that qualify. Out: `judged_daily` and
`unjudged_kinds`, which pages show, and the shares that `break_even` gives. Chapter: METHOD §6.10.
"""
