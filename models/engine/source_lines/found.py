"""The first source rows behind a number, and what they come to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

Row = dict[str, Any]
FIRST = 1000
"""Lines that are shown; all of them are counted and summed, and stand in the file."""


@dataclass(frozen=True)
class Found:
    """The first rows behind a number, how many there are, and what they come to.

    Of lines of a bill on one basis: `lines` what they sum to, `elsewhere` what of the shared ones
    belongs to other runs, `spread` what the method moved between lines (fees of Capacity Blocks,
    instances divided by their pods), and `number` what is shown. The first three add up to it.
    """

    rows: Sequence[Row]
    count: int
    lines: Decimal | None = None
    elsewhere: Decimal = Decimal(0)
    spread: Decimal | None = None
    number: Decimal | None = None
    files: Sequence[str] = field(default_factory=tuple)
