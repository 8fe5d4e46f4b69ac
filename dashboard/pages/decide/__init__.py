"""Renders Decide: when a move would pay for itself, and which workload should move next.

In: the figures of a workload, and the reader's assumptions, which are in the URL. Out: a
what-if (METHOD §6), a checklist, the ways to buy a machine, and a ranking of unmoved workloads.
"""
