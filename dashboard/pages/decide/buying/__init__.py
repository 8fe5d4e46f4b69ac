"""Ways to buy a machine's hours: what each costs beside its price.

In: public prices, committed rates, and how the hours on the bill were used. Out: dollars per hour
that makes progress, on demand, committed, on Spot and in Capacity Blocks. Chapter: METHOD §2.5
and §2.11.
"""
