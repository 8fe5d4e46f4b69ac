"""Computes each run's share of the work that its lineage of runs is credited with."""

from __future__ import annotations

import ibis.expr.types as ir

from models.contract.money import allocated
from models.contract.schema import NUMBER

RUN = ["workload", "run"]


def credited_epochs(unit_daily: ir.Table, credited_daily: ir.Table) -> ir.Table:
    """Splits credited epochs of each lineage of runs among its Trainium runs, by day and work.

    A run whose purpose cannot be followed gets no part.
    """
    line = ["workload", "lineage"]
    days = credited_daily.filter(credited_daily.settled & (credited_daily.credited_epochs > 0))
    days = days.select("date", *line, credit="credited_epochs")
    known = unit_daily.filter(unit_daily.in_lineage & unit_daily.misplaced.isnull())
    made = known.filter(known.hardware == "trainium")
    rows = made.join(days, ["date", *line])
    parts = allocated(rows, ["credit"], weight="epochs", within=["date", *line], owner="run")
    return parts.group_by(RUN).agg(credited_epochs=parts.credit.sum().cast(NUMBER))
