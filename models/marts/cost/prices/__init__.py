"""Determines what an instance-hour costs on a day, and lists what AWS offers (METHOD §2.5).

In: observed prices and the answers of EC2 about capacity. Out: `price_steps`, the public price from
one day to another; the newest rates of Savings Plans and reserved instances, Capacity Blocks on
offer, and the zones that have an instance type.
"""
