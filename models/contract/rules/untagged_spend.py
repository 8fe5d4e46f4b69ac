"""The note of a status about spend that names no workload, and how to find it in a reason."""

from __future__ import annotations

BEFORE, AFTER = "; but $", " (effective) of Trainium spend names no run or workload"
NOTE = r"; but \$[0-9.]+ \(effective\) of Trainium spend names no run or workload"
"""A regular expression of the whole note. The amount is the company's, whoever's status it is."""
