"""Divides each charge period of a machine: what jobs held, gaps, and nobody's time (METHOD §2.10).

In: seconds that owners held (`seconds_held`) and what ran (`period_capacity`). Out:
`shares_of_periods`, the fraction of each period that each owner held, or nobody, and why.
"""
