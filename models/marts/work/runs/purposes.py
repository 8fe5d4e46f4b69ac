"""Determines what each run was for, and whether its lineage of runs counts it (METHOD §5, §6).

A run's purpose is its own, even if it resumes a run with another purpose. A baseline on Trainium
counts as production. Where the word is unknown (`misplaced`), so is what the run was for, and the
reading with less saving is used: a GPU run sets no baseline; a Trainium run counts like production,
for cutover and overhead too, but its epochs are not credited.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.section import PURPOSES
from models.contract.rules.work.purposes import SIDE_PURPOSES

UNKNOWN_PURPOSE = "unknown_purpose"
"""Flag of runs whose stated purpose is not a known word."""


def with_purpose(runs: ir.Table) -> ir.Table:
    """Adds to runs whether their purpose is valid, and whether their lineage of runs counts them.

    `own` says that the run is production or baseline. `misplaced` is the flag that says why
    its purpose cannot be followed, else null. `in_lineage` says that the facts of its lineage are
    computed from the run: from runs that are `own`, or from all where none is.
    """
    known = runs.mutate(misplaced=ibis.cases((~runs.purpose.isin(PURPOSES), UNKNOWN_PURPOSE)))
    unused = known.misplaced.notnull() & (known.hardware == "gpu").fill_null(False)
    own = ~unused & ~known.purpose.isin(SIDE_PURPOSES)
    known = known.mutate(own=own)
    some = known.own.any().over(ibis.window(group_by=["workload", "lineage"]))
    return known.mutate(in_lineage=known.own | ~some)
