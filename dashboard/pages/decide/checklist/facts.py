"""Gathers the facts of the snapshot that the checklist asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Self


@dataclass(frozen=True)
class Facts:
    """Holds what the snapshot says of a workload and of the moves here so far.

    `committed`: share of the workload's recent GPU hours that a commitment covered, None without
    such hours. `moved_here`, `saving_here`: numbers of workloads.
    """

    moved: bool
    moved_here: int
    saving_here: int
    committed: Decimal | None
    serves_neuron: bool

    @classmethod
    def from_rows(
        cls, row: Mapping[str, Any], moved: bool, shares: Sequence[Mapping[str, Any]]
    ) -> Self:
        """Builds the facts from the rows of the checklist query."""
        hours = row.get("gpu_hours")
        return cls(
            moved,
            len(shares),
            sum(each["saved"] > 0 for each in shares),
            (row["committed_hours"] or Decimal(0)) / hours if hours else None,
            bool(row.get("inferentia_hours")),
        )

    def to_json(self) -> dict[str, Any]:
        """Returns a JSON-ready dict that the browser keeps: moving a slider asks no database."""
        share = None if self.committed is None else str(self.committed)
        return {**vars(self), "committed": share}

    @classmethod
    def from_json(cls, sent: Mapping[str, Any]) -> Self:
        """Restores the facts from what the browser kept."""
        share = sent["committed"]
        return cls(**{**sent, "committed": None if share is None else Decimal(share)})
