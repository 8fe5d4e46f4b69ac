"""Spreads the fees of Capacity Blocks over their hours (METHOD §2.7).

In: hours that the bill has at $0, fees on other lines, and the blocks of the config and of EC2.
Out: those hours with their part of the fee, and unused hours as idle commitment.
"""
