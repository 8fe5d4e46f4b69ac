"""Reads allocations that a source took from a scheduler, in the columns of `allocations`.

A machine may be of a type that the catalogue does not have yet: how many accelerators it has is
unknown then, and who held it is not.
"""

from __future__ import annotations

from typing import Literal

from models.formats.allocations.faults import observed_refusals
from models.formats.allocations.intervals import REQUIRED as REQUIRED
from models.formats.allocations.intervals import rows as rows
from models.formats.format import no_totals

NAME = "observed_allocations"
VIEW: Literal["allocations"] = "allocations"
refusals = observed_refusals
totals = no_totals
