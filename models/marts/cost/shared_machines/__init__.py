"""Divides charges of machines that many jobs share among jobs that held them (METHOD §2.10).

In: the bill's lines of machines by period (`due_lines`), what such lines have in common
(`due_kinds`), who held machines (`held_near`), what is known of each (`members`). Out: `divided`,
the same lines as rows of `spend_reduced`, whose workload and run are those of the jobs. The engine
runs these steps for the days that are due (`models.engine.allocations`); each is a function of the
ones before it.
"""

from __future__ import annotations

from collections.abc import Callable

import ibis.expr.types as ir

from models.marts.cost.shared_machines.day_shares import day_shares
from models.marts.cost.shared_machines.divided import divided, line_parts
from models.marts.cost.shared_machines.gaps import gaps
from models.marts.cost.shared_machines.holds import holds
from models.marts.cost.shared_machines.intervals import intervals
from models.marts.cost.shared_machines.lines.cut_lines import cut_lines
from models.marts.cost.shared_machines.lines.line_kinds import line_kinds
from models.marts.cost.shared_machines.lines.line_periods import line_periods
from models.marts.cost.shared_machines.lines.placed_lines import placed_lines
from models.marts.cost.shared_machines.lines.places import places
from models.marts.cost.shared_machines.lines.unit_days import unit_days
from models.marts.cost.shared_machines.moments import moments
from models.marts.cost.shared_machines.moves import moves
from models.marts.cost.shared_machines.owners import owners
from models.marts.cost.shared_machines.parts import parts
from models.marts.cost.shared_machines.pieces import pieces
from models.marts.cost.shared_machines.shares import shares
from models.marts.cost.shared_machines.spans import spans
from models.marts.cost.shared_machines.weights import weights

SHARED_MACHINES: tuple[Callable[..., ir.Table], ...] = (
    line_kinds,
    places,
    unit_days,
    placed_lines,
    line_periods,
    owners,
    holds,
    gaps,
    intervals,
    moves,
    spans,
    pieces,
    moments,
    weights,
    shares,
    cut_lines,
    day_shares,
    parts,
    divided,
)
"""Each follows what it reads."""
BY_LINE = (*SHARED_MACHINES[:-1], line_parts)
"""The same, but every line by itself in place of the sums."""
