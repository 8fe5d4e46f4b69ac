"""Checks the bill for `breakeven doctor`: exports, tags, closed accounts, prices, machines.

In: the sources of cost, the published snapshot and what AWS says of them. Out: findings on what
would leave spend missing, unattributed or unpriced. Serves METHOD §2.
"""
