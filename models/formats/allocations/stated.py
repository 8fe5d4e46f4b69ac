"""Reads allocations from files that the user writes: they replace those that a source observed.

Columns are those of the table `allocations`; `cluster` and `held_from` are required.
"""

from __future__ import annotations

from typing import Literal

from models.formats.allocations.intervals import REQUIRED as REQUIRED
from models.formats.allocations.intervals import refusals as refusals
from models.formats.allocations.intervals import rows as rows
from models.formats.format import no_totals

NAME = "allocations"
VIEW: Literal["allocations"] = "allocations"
totals = no_totals
