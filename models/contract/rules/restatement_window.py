"""For how long after its delivery a settled month of a bill is watched for restatements."""

RESTATED_DAYS = 35
"""AWS rewrites a month for about two weeks after its end; refunds come later still."""
