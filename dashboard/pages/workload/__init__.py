"""Workload: has the move of one workload paid for itself, and what does an epoch cost?

In: the name in the address; savings, baselines, cost per epoch, losses and runs of that workload.
Out: its page, with the arithmetic of its GPU baseline. METHOD §5 and §6.
"""
