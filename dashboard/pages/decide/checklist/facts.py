"""The checklist: nine factors of a move, answered from data or by the reader, and where they lean.

A factor leans to Trainium or to GPU, or to neither, or is open; its threshold is stated. Spend,
pattern and horizon are one sum seen from three sides, so they count once: as the horizon.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Self


@dataclass(frozen=True)
class Facts:
    """What the snapshot says of it. `committed`: share of the workload's recent GPU hours that a
    commitment covered, null without such hours. `moved_here`, `saving_here`: workloads."""

    moved: bool
    moved_here: int
    saving_here: int
    committed: Decimal | None
    serves_neuron: bool

    @classmethod
    def from_rows(
        cls, row: Mapping[str, Any], moved: bool, shares: Sequence[Mapping[str, Any]]
    ) -> Self:
        """From the rows that tell it."""
        hours = row.get("gpu_hours")
        return cls(
            moved,
            len(shares),
            sum(each["saved"] > 0 for each in shares),
            (row["committed_hours"] or Decimal(0)) / hours if hours else None,
            bool(row.get("inferentia_hours")),
        )

    def to_json(self) -> dict[str, Any]:
        """As the page keeps it, so that a slider asks the snapshot nothing."""
        share = None if self.committed is None else str(self.committed)
        return {**vars(self), "committed": share}

    @classmethod
    def from_json(cls, sent: Mapping[str, Any]) -> Self:
        """Of what the page kept."""
        share = sent["committed"]
        return cls(**{**sent, "committed": None if share is None else Decimal(share)})
