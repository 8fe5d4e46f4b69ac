"""The note about spend that names no workload: its text in a reason, and how to find it there."""

from __future__ import annotations

BEFORE, AT_LEAST = "; but $", "; but at least $"
"""How it begins; the latter where the cost of some of that spend is unknown."""
AFTER = " (effective) of Trainium spend names no run or workload"
NOTE = r"; but (at least )?\$[0-9.]+ \(effective\) of Trainium spend names no run or workload"
"""A regular expression of the whole note. The amount is the company's, whoever's status it is."""
