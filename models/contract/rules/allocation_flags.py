"""Names of the flags on figures that rest on which job held a machine (METHOD §2.10.3)."""

from __future__ import annotations

OVER, DAILY = "over_allocated", "daily_allocation"
"""Jobs held more than the machine had; the bill has days, so hours are not told apart."""
TIMED = "timed_by_allocation"
"""Samples without a time of their own are laid over the time that the run's jobs held (§3.3)."""
