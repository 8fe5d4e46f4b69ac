"""Divides charges of machines that many jobs share among jobs that held them (METHOD §2.10).

In: the bill's lines of machines by period (`due_lines`), what such lines have in common
(`due_kinds`), who held machines (`held_near`), what is known of each (`members`). Out: `divided`,
the same lines as rows of `spend_reduced`, whose workload and run are those of the jobs. The engine
runs these steps for the days that are due (`models.engine.allocations`); each is a function of the
ones before it.

Only lines without a run tag are divided: a run tag wins over an allocation, as
`models.formats.bill.shared_machine_lines.machine` decides. Hours that bear one come as `lent`, and
count beside those of jobs where corrections, volumes and traffic are divided (`tagged_hours`).
"""

from __future__ import annotations

from collections.abc import Callable

import ibis.expr.types as ir

from models.marts.cost.shared_machines.comings_and_goings import comings_and_goings
from models.marts.cost.shared_machines.divided import divided, line_parts
from models.marts.cost.shared_machines.exact_parts import exact_parts
from models.marts.cost.shared_machines.fractions_held import fractions_held
from models.marts.cost.shared_machines.gaps import gaps
from models.marts.cost.shared_machines.intervals_and_gaps import intervals_and_gaps
from models.marts.cost.shared_machines.intervals_by_period import intervals_by_period
from models.marts.cost.shared_machines.lines.cut_lines import cut_lines
from models.marts.cost.shared_machines.lines.line_kinds import line_kinds
from models.marts.cost.shared_machines.lines.line_periods import line_periods
from models.marts.cost.shared_machines.lines.machine_or_pool import machine_or_pool
from models.marts.cost.shared_machines.lines.placed_lines import placed_lines
from models.marts.cost.shared_machines.lines.unit_days import unit_days
from models.marts.cost.shared_machines.owner_numbers import owner_numbers
from models.marts.cost.shared_machines.owners_of_volumes_and_corrections import owners_of_a_time
from models.marts.cost.shared_machines.period_capacity import period_capacity
from models.marts.cost.shared_machines.seconds_held import seconds_held
from models.marts.cost.shared_machines.shares.shares_of_periods import shares_of_periods
from models.marts.cost.shared_machines.tagged_hours import tagged_hours
from models.marts.cost.shared_machines.weights_by_moment import weights_by_moment

SHARED_MACHINES: tuple[Callable[..., ir.Table], ...] = (
    line_kinds,
    machine_or_pool,
    unit_days,
    placed_lines,
    owner_numbers,
    tagged_hours,
    line_periods,
    fractions_held,
    gaps,
    intervals_and_gaps,
    comings_and_goings,
    period_capacity,
    intervals_by_period,
    weights_by_moment,
    seconds_held,
    shares_of_periods,
    cut_lines,
    owners_of_a_time,
    exact_parts,
    divided,
)
"""Each follows what it reads."""
BY_LINE = (*SHARED_MACHINES[:-1], line_parts)
"""The same, but every line by itself in place of the sums."""
