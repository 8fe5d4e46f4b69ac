"""Assigns the cost of unused commitments to workloads or the portfolio (METHOD §2.11, §6.3).

In: charges with a commitment, a reservation or a Capacity Block, and the work of runs. Out: idle
commitment by day and workload: overhead, investment (stranded) or the portfolio's.
"""
