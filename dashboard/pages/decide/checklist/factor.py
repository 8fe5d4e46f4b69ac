"""Defines a factor of the checklist, and the titles of all nine."""

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
"""Titles of the nine factors, in the order in which they are shown."""


@dataclass(frozen=True)
class Factor:
    """One factor of the checklist: what it leans to (Trainium, GPU, neither, open), and why.

    `answer` is the answer that the data gives; empty where it gives none.
    """

    name: str
    lean: str
    reason: str
    threshold: str
    answer: str = ""
