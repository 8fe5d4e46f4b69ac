"""Slices of a GPU (NVIDIA's MIG), as schedulers name them: `1g.5gb`, `mig-1c.3g.20gb`."""

from __future__ import annotations

import re
from decimal import ROUND_DOWN, Decimal

from ingest.allocations.machine_types import PLACES

SLICE = re.compile(r"(?:(?P<compute>\d)c[._])?(?P<slices>\d)g[._]\d+gb")
SLICES = 7
"""Parts into which MIG divides the processors of a GPU."""


def slices(name: str) -> int:
    """Returns how many of a GPU's seven parts a resource of this name is; 0 if it is no slice."""
    found = SLICE.search(name)
    return int(found["compute"] or found["slices"]) if found else 0


def as_gpus(parts: Decimal) -> Decimal:
    """Converts sevenths of GPUs to GPUs, to 9 places, rounded down: seven make at most one."""
    return (parts / SLICES).quantize(Decimal(1).scaleb(-PLACES), ROUND_DOWN)
