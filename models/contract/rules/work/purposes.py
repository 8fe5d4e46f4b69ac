"""Which purposes make a run an investment in the migration instead of work (METHOD §6.3)."""

from __future__ import annotations

SIDE_PURPOSES = ("port", "validation", "benchmark")
