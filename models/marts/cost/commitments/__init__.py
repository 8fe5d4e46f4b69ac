"""What commitments cost that nobody used, and who bears it (METHOD §2.11 and §6.3).

In: charges with a commitment, a reservation or a Capacity Block, and the work of runs. Out: idle
commitment by day and workload: overhead, investment (stranded) or the portfolio's.
"""
