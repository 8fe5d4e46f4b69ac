"""Defines the facts from the snapshot that answer parts of the checklist."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, Self

from pydantic import AfterValidator
from typing_extensions import TypedDict


def _decimal(text: str) -> str:
    if not re.fullmatch(r"\d{1,9}(\.\d{1,30})?(E[+-]?\d{1,2})?", text, re.ASCII):
        raise ValueError("not a decimal")
    return text


class SentFacts(TypedDict):
    """The checklist's facts as JSON, which the browser stores between callbacks."""

    moved: bool
    moved_here: int
    saving_here: int
    committed: Annotated[str, AfterValidator(_decimal)] | None
    serves_neuron: bool


@dataclass(frozen=True)
class Facts:
    """What the checklist knows from the data: of the workload, of earlier moves, of inference.

    `committed` is the share of the workload's recent GPU hours that a commitment covered; None
    without such hours. `moved_here` and `saving_here` count earlier moves, and those of them that
    saved money.
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
        """Builds the checklist's facts from a row of hours and the rows of earlier moves."""
        hours = row.get("gpu_hours")
        return cls(
            moved,
            len(shares),
            sum(each["saved"] > 0 for each in shares),
            (row["committed_hours"] or Decimal(0)) / hours if hours else None,
            bool(row.get("inferentia_hours")),
        )

    def to_json(self) -> dict[str, Any]:
        """Returns the checklist's facts as a JSON-ready dict, which the browser stores."""
        share = None if self.committed is None else str(self.committed)
        return {**vars(self), "committed": share}

    @classmethod
    def from_json(cls, sent: SentFacts) -> Self:
        """Restores the checklist's facts from the JSON that the browser stored."""
        share = sent["committed"]
        return cls(
            sent["moved"],
            sent["moved_here"],
            sent["saving_here"],
            None if share is None else Decimal(share),
            sent["serves_neuron"],
        )
