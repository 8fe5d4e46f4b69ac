"""The note on Trainium spend that names no run or workload: its text, and a pattern to find it."""

from __future__ import annotations

BEFORE, AT_LEAST = "; but $", "; but at least $"
"""How it begins; the latter where the cost of some of that spend is unknown."""
AFTER = " (effective) of Trainium spend names no run or workload"
NOTE = r"; but (at least )?\$[0-9.]+ \(effective\) of Trainium spend names no run or workload"
"""A regular expression of the whole note. The amount is the company's, whoever's status it is."""
