"""Fills in the workload of Cost Explorer lines from their run, if that has just one workload.

Request `pair` groups by run and workload tag. A run that has exactly one workload in a
month of a payer gets that workload; a run that has several gets none.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.formats import fields
from models.formats.bill.cost_explorer.repeated_requests import charged_once


def with_workload_of_run(lines: ir.Table) -> ir.Table:
    """Fills in a line's workload if its run has just one that month; drops repeated charges."""
    known = _workload_of_run(lines)
    billed = charged_once(lines)
    billed = billed.mutate(run_=fields.text(billed, "run"), own_=fields.text(billed, "workload"))
    same = [billed.account == known.payer, billed.month == known.within, billed.run_ == known.named]
    joined = billed.left_join(known, same)
    return joined.mutate(workload=ibis.coalesce(joined.own_, joined.owner)).drop(
        "run_", "own_", "payer", "within", "named", "owner"
    )


def _workload_of_run(lines: ir.Table) -> ir.Table:
    """Lists the runs that have exactly one workload in a month of a payer's Cost Explorer.

    Returns the columns `payer`, `within` (the month), `named` (the run) and `owner` (its workload).
    """
    pairs = lines.filter(fields.text(lines, "request") == ibis.literal("pair"))
    pairs = pairs.select(
        payer=fields.text(pairs, "account"),
        within=fields.text(pairs, "month"),
        named=fields.text(pairs, "run"),
        owner=fields.text(pairs, "workload"),
    )
    pairs = pairs.filter(pairs.named.notnull())
    found = pairs.group_by("payer", "within", "named").agg(
        owner=pairs.owner.max(), several=pairs.owner.nunique()
    )
    return found.filter(found.several == 1).drop("several")
