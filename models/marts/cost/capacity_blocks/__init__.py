"""Spreads the fees of Capacity Blocks over their hours (METHOD §2.7).

In: hours that the bill has at $0, fees on other lines, and the blocks that the config or EC2 told
of. Out: those hours with their part of the fee, and what nobody used as idle commitment.
"""
