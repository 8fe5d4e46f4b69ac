"""Overview: has the move of all workloads paid for itself, and which need attention?

In: standings, daily savings, months and untagged spend. Out: the first page. METHOD §6 and §7.
"""
