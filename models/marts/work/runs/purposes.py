"""What each run was for, and whether its lineage's facts rest on it (METHOD §5, §6).

What a run was for is its own, also where it resumes one with another purpose.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import PURPOSES
from models.contract.rules.purposes import SIDE_PURPOSES

MISPLACED = ("unknown_purpose", "baseline_on_trainium")
"""Flags of runs whose stated purpose is no known word, or is `baseline` on Trainium."""


def with_purpose(runs: ir.Table) -> ir.Table:
    astray = (runs.purpose == "baseline") & (runs.hardware == "trainium")
    misplaced = ibis.cases(
        *zip((~runs.purpose.isin(PURPOSES), astray), MISPLACED, strict=True),
    )
    known = runs.mutate(misplaced=misplaced)
    lost = known.misplaced.notnull() & (known.hardware == "gpu").fill_null(False)
    own = ~lost & ~known.purpose.isin(SIDE_PURPOSES)
    known = known.mutate(own=own)
    some = known.own.any().over(ibis.window(group_by=["workload", "lineage"]))
    return known.mutate(stands=known.own | ~some)
