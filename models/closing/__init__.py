"""Closes months for finance: drafts, conditions for closing, adjustments, closing, verification.

In: the marts, the closes of other months, deliveries and config. Out: the statement of a month, and
whether it may be closed or still agrees. Chapter: METHOD §7.
"""
