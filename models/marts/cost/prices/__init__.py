"""Lists what AWS offers, and at which rate (METHOD §2.5).

In: observed prices and the answers of EC2 about capacity. Out: the newest rates of Savings Plans
and reserved instances, Capacity Blocks on offer, and the zones that have an instance type.
"""
