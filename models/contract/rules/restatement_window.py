"""For how many days restatements of a bill are watched: after a month's end, or up to a pull."""

RESTATED_DAYS = 35
"""AWS rewrites a month for about two weeks after its end; refunds come later still."""
