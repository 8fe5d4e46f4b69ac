"""Publishes each training recipe's daily Trainium cost and saving, by its own GPU baseline.

So that a workload of two recipes can be recomputed from what is published: the sum of the gross
saving of its kinds is that of `savings_daily`.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import mart
from models.contract.rules.work.kinds_of_work import recipe_of
from models.contract.schema import MARTS


@mart(
    grain="date × workload × recipe, of days with production on Trainium",
    units="dollars on `cost.basis`; work in `unit`",
    nulls="recipe: none is stated; counterfactual, gross_saving: not settled, no baseline, or the "
    "workload may claim no saving; trn_cost: unknown",
    method="§6.1",
    whose="workload",
)
def savings_by_kind(counterfactual_daily: ir.Table) -> ir.Table:
    """Lists each recipe's Trainium cost, work, counterfactual and gross saving by day."""
    rows = counterfactual_daily
    known = rows.settled & ~rows.barred
    rows = rows.mutate(
        recipe=recipe_of(rows.kind),
        counterfactual=ibis.ifelse(known, rows.counterfactual, None),
    )
    saved = rows.mutate(gross_saving=rows.counterfactual - rows.trn_cost)
    return saved.select(*MARTS["savings_by_kind"])
