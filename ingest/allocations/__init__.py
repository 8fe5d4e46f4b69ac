"""Turns what schedulers tell into allocations: who held which machine, and when.

In come what schedulers tell: jobs on nodes, nodes on machines, times as text. Out go rows of
`allocations`, and one delivery per cluster and UTC day. Serves METHOD §2.10.
"""
