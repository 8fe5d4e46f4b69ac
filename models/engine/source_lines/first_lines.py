"""The first source rows behind a number, with the count and sum of all such rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

Row = dict[str, Any]
FIRST = 1000
"""Lines that are shown; all lines are counted, summed and in the file."""


@dataclass(frozen=True)
class FirstLines:
    """The first source rows behind a number, with the count and sum of all rows behind it.

    For lines of a bill on one basis, `number` is the number shown and the sum of the other four:
    `lines` is the sum of all lines found, `elsewhere` corrects it for the part of shared lines that
    belongs to other runs, and `idle` for the part of idle commitments and machines that others
    bear. `spread` is what the method moved between lines (fees of Capacity Blocks, instances
    divided by their pods), and what is on lines that a limited scope may not see.
    """

    rows: Sequence[Row]
    count: int
    lines: Decimal | None = None
    elsewhere: Decimal = Decimal(0)
    idle: Decimal = Decimal(0)
    spread: Decimal | None = None
    number: Decimal | None = None
    files: Sequence[str] = field(default_factory=tuple)
