"""Turns schedulers' records into rows of `allocations`: which job used which machine, and when.

In: what schedulers tell: jobs on nodes, nodes on machines, times as text. Out: rows of
`allocations`, and one delivery per cluster and UTC day. Serves METHOD §2.10.
"""
