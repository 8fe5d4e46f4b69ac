"""The edition (version) of the method that this program computes by (docs/method/editions.md)."""

from __future__ import annotations

EDITION = 2
"""A rule that changes a figure which finance may have signed begins a new edition."""
EDITION_OF_UNMARKED = 1
"""Of what says nothing of its edition: version 0.1.0 knew of one only."""
