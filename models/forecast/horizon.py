"""Defines how far a forecast looks ahead: 24 months, as 104 weeks of 7 days (METHOD §6.6)."""

MONTHS = 24
WEEKS = 104
"""24 months at 52 weeks a year, as `payback_months` counts them."""
DAYS = 7
"""Days of a week."""
