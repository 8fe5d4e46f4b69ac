"""Which factors of a workload's payers may lower its baseline on a day (METHOD §5.3).

A payer of a workload is a billing account that bears accelerator-hours of it, on either chip. Its
factor counts from 200 instance-hours on; whether they are half of those that are repriced is asked
of each baseline.
"""

from __future__ import annotations

import ibis.expr.types as ir

from models.contract.declaration import step

LEAST_HOURS = 200


@step(
    grain="date × workload × instance_type × payer of the workload",
    units="instance-hours and dollars on `cost.basis` of the payer's 84 settled days",
    nulls="none",
    method="§5.3",
    whose="company",
)
def payer_factors(spend_daily: ir.Table, payer_use: ir.Table) -> ir.Table:
    """Lists what each payer of a workload pays of the list price of an instance type by day."""
    own = spend_daily.filter(
        (spend_daily.component == "accelerator") & spend_daily.workload.notnull()
    )
    own = own.select("workload", payer="billing_account").distinct()
    known = payer_use.filter((payer_use.instance_hours >= LEAST_HOURS) & payer_use.factor.notnull())
    return own.join(known, own.payer.identical_to(known.billing_account)).select(
        "date",
        "workload",
        "instance_type",
        payer_hours="instance_hours",
        payer_cost="effective_cost",
        payer_list="list_cost",
        payer_factor="factor",
    )
