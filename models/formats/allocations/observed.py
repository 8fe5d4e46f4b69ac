"""Reads allocations that a source took from a scheduler, in the columns of `allocations`."""

from __future__ import annotations

from typing import Literal

from models.formats.allocations.intervals import REQUIRED as REQUIRED
from models.formats.allocations.intervals import refusals as refusals
from models.formats.allocations.intervals import rows as rows
from models.formats.format import no_totals

NAME = "observed_allocations"
VIEW: Literal["allocations"] = "allocations"
totals = no_totals
