"""What AWS changed of a bill it had delivered before.

Grain: billing month × billing account × account × source × the delivery that changed it. Dollars,
every line of the bill; the old total is that of the delivery before. A month that is not over
grows with each delivery: `settled` picks the changes of months that no late day explains.
`counted` are those of the source that money is counted from. Source: the deliveries' markers.
"""

from __future__ import annotations

import ibis.expr.types as ir

from models.contract.schema import MARTS


def restatements(restated: ir.Table) -> ir.Table:
    """`restated`: a row per month and account whose total a delivery changed."""
    return restated.mutate(
        billed_change=restated.new_billed - restated.old_billed,
        effective_change=restated.new_effective - restated.old_effective,
    ).select(*MARTS["restatements"])
