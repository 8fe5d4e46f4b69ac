"""Renders one workload: whether its move has paid for itself, and what an epoch costs.

In: the name in the address; savings, baselines, cost per epoch, losses and runs of that workload.
Out: its page, with the arithmetic of its GPU baseline. METHOD §5 and §6.
"""
