"""How far a training machine's clock may be ahead before its progress samples are refused."""

from __future__ import annotations

from datetime import timedelta

CLOCK_SKEW = timedelta(hours=2)
"""A sample may lie this far in the future; CloudWatch accepts samples as far ahead, no further."""
