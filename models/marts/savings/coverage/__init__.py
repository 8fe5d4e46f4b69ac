"""How much of what is spent on Trainium can be judged, and what it would cost to judge the rest.

In: cost of production on Trainium, baselines, GPU runs that qualify. Out: `judged_daily` and
`unjudged_kinds`, which pages show, and the shares that `break_even` gives. Chapter: METHOD §6.10.
"""
