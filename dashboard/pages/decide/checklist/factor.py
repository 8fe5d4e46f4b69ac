"""The checklist: nine factors of a move, answered from data or by the reader, and where they lean.

A factor leans to Trainium or to GPU, or to neither, or is open; its threshold is stated. Spend,
pattern and horizon are one sum seen from three sides, so they count once: as the horizon.
"""

from __future__ import annotations

from dataclasses import dataclass

TRAINIUM, GPU, NEITHER, OPEN = "trainium", "gpu", "neither", "open"
TITLES = {
    "spend": "Monthly training spend",
    "arch": "Architecture",
    "budget": "Migration budget",
    "cloud": "Cloud strategy",
    "team": "Team",
    "pattern": "Workload pattern",
    "serve": "Inference needs",
    "horizon": "Horizon",
    "plan": "Commitment",
}
"""The nine factors, in order."""


@dataclass(frozen=True)
class Factor:
    """`answer` is what the data says where they say anything; `threshold` what it is judged by."""

    name: str
    lean: str
    reason: str
    threshold: str
    answer: str = ""
