"""Slurm: which jobs had which nodes, and when, from files that cron writes on the head node.

In: what `sacct` and `sacctmgr` print, and the file of nodes and instances that
`deploy/slurm/breakeven_slurm.py` keeps. Out: allocations by cluster and UTC day. Serves METHOD
§2.10, and the sources `slurm` and `hyperpod`.
"""
