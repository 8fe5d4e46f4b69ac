"""How many days before the move must be known for an old GPU pace to be computed (METHOD §6.9)."""

from __future__ import annotations

LEAST_DAYS = 56
"""Days before the cutover; with fewer, the pace is unknown."""
