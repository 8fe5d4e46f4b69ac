"""Defines how many days before the move the old GPU pace needs, to be known (METHOD §6.9)."""

from __future__ import annotations

LEAST_DAYS = 56
"""Days before the cutover; with fewer, the pace is unknown."""
