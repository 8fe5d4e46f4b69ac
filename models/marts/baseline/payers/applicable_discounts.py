"""Selects payers' discounts, over 200 hours or more, that may lower a baseline (METHOD §5.3).

A payer of a workload is a billing account that has accelerator-hours of it, on either chip. Its
factor counts from 200 instance-hours on; whether they are half of the repriced hours is checked for
each baseline in `methods.lowered_by_payer_discount`.
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
def applicable_discounts(spend_daily: ir.Table, payer_use: ir.Table) -> ir.Table:
    """Lists by day and GPU type what share of list price a workload's payers paid over 84 days.

    A row per payer; one with fewer than 200 instance-hours of the type in these days has none.
    """
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
