"""Decide: when would a move pay for itself, and which workload should move next?

In: the figures of a workload, and the assumptions of the reader, which the address keeps. Out: a
what-if (METHOD §6), a checklist, the ways to buy a machine, and a ranking of unmoved workloads.
"""
