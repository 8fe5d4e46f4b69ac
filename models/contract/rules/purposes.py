"""What a run can be for besides production, and which stated purposes cannot be followed."""

from __future__ import annotations

SIDE_PURPOSES = ("port", "validation")
"""Runs that are an investment in the migration, not work (METHOD §6)."""
MISPLACED = ("unknown_purpose", "baseline_on_trainium")
"""Flags of runs whose stated purpose is no known word, or is `baseline` on Trainium."""
