"""Lists what AWS changed in bills that it had delivered before: old total, new total, change.

The old total is that of the delivery before. A month that is not over grows with each delivery:
`settled` marks changes that a later day of usage cannot explain. `counted` marks the source that
costs are counted from.
"""

from __future__ import annotations

import ibis.expr.types as ir

from models.contract.declaration import mart
from models.contract.schema import MARTS


@mart(
    grain="billing month × billing account × account × source × delivery",
    units="dollars, billed and effective",
    nulls="a total that was not delivered, and its change",
    method="§10.2",
    whose="company",
)
def restatements(restated_totals: ir.Table) -> ir.Table:
    """Lists each account's monthly total that a later bill delivery changed, with the change.

    `restated_totals` has a row per month and account whose total a delivery changed.
    """
    return restated_totals.mutate(
        billed_change=restated_totals.new_billed - restated_totals.old_billed,
        effective_change=restated_totals.new_effective - restated_totals.old_effective,
    ).select(*MARTS["restatements"])
