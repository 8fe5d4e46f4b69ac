"""How many days of GPU training before the move make a pace (METHOD §6.9)."""

from __future__ import annotations

LEAST_DAYS = 56
"""A pace of fewer days before the cutover is none."""
