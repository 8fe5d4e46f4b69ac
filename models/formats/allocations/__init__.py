"""Reads which job held which part of a machine, from when until when (METHOD §2.10).

In: intervals in our own columns: stated by somebody (`allocations`), or read from a scheduler by
one of our sources (`observed_allocations`). Out: rows of `allocations`. For a cluster and UTC day a
statement wins over whatever a source observed.
"""

from __future__ import annotations

from models.formats.allocations import observed, stated
from models.formats.format import Format

FORMATS: tuple[Format, ...] = (stated, observed)
