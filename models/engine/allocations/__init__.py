"""Divides the cost of machines that jobs share among the jobs that held them (METHOD §2.10).

In: deliveries of allocations, one per cluster and UTC day, and the machine-hours of the bill. Out:
the charges of those machines by owner, stored per bill and day, so that a late day divides its own
days again and nothing else.
"""
