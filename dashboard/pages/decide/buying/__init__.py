"""Compares the ways to buy a machine's hours, with the costs that a price does not show.

In: public prices, committed rates, and how the hours on the bill were used. Out: dollars per
productive hour, on demand, committed, on Spot and in Capacity Blocks. Chapter: METHOD §2.5
and §2.11.
"""
