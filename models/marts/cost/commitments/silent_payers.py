"""Lists payers whose stalled bill leaves newer idle commitment unknown (METHOD §1.1).

After the last settled day of such a payer, what stays idle is unknown, not nothing: a stalled
export never turns into $0.
"""

from __future__ import annotations

import ibis.expr.types as ir

from models.contract.declaration import step
from models.marts.cost.commitments.covered_hours import (
    MONTH,
    covered_hours,
    hours_sharing_idle,
    idle_for_accelerators,
)

ENDED = 31
"""Days without a charge after which a commitment has ended; a bill may list it once a month."""


@step(
    grain="billing_account",
    units="none",
    nulls="billing_account: the bill names none",
    method="§1.1, §2.11",
    whose="company",
)
def silent_payers(
    idle_commitments: ir.Table,
    committed: ir.Table,
    work_daily: ir.Table,
    cutovers: ir.Table,
) -> ir.Table:
    """Lists payers of running accelerator commitments that were idle in a month and covered no run.

    A commitment has ended if its payer has since been billed without it for longer than `ENDED`
    days. Where one may still run, the payer's bill has to arrive, or its account has to be closed.
    """
    covered = covered_hours(committed, work_daily, cutovers)
    alone = idle_for_accelerators(idle_commitments, covered).anti_join(
        hours_sharing_idle(covered), MONTH
    )
    ended = alone.until.epoch_days() - alone.newest.epoch_days() > ENDED
    running = alone.filter(~ended.fill_null(False))
    return running.group_by(billing_account="payer").agg(settled_through=running.until.max())
