"""Assigns each charge of the bill to a workload, a run and a bucket."""

from __future__ import annotations

import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.declaration import step
from models.contract.joins import same_keys
from models.contract.schema import COST_COLUMNS
from models.marts.cost.attribution_buckets import bucket
from models.marts.cost.capacity_blocks.paid_operating_systems import with_hours_of_blocks
from models.marts.cost.charges.charge_kinds import HOUR_COLUMNS
from models.marts.cost.charges.instances_without_accelerators import with_workload_of_run

INSTANCE = ("billing_account", "account", "region", "date", "host", "hosting")
"""Identify the charges of an instance that pods divide, beside its own workload."""


@step(
    grain="charges of one day with equal time, place, commitment, owner, instance "
    "type, component, purchase option and bucket; no charge is added or lost",
    units="dollars on the four bases; instance and accelerator hours",
    nulls="a cost is null when one charge's is unknown; instance_type null: not hours or fees of "
    "an instance; workload or run null: nobody named one",
    method="§2.6",
    whose="run",
)
def attributed(
    charge_kinds: ir.Table,
    run_workloads: ir.Table,
    instances_without_accelerators: ir.Table,
    known_blocks: ir.Table,
    settings: Settings,
) -> ir.Table:
    """Assigns every charge of the bill to its workload, run and cost bucket (`attribution`).

    A `shared` charge may still become `overhead` once the runs of the day are known. Charges of an
    instance that pods divide are replaced by the shares of the pods (METHOD §2.9). Hours of a
    Capacity Block with a paid operating system are apart from what that costs.
    """
    rows = with_workload_of_run(
        _with_pods(charge_kinds, instances_without_accelerators), run_workloads
    )
    extra = [f"tag_{key}" for key in settings.tags.extra]
    found = rows.select(
        "billing_period", "billing_account", "account", "date", "region", "commitment",
        "reservation", "workload", "run", *extra, "instance_type", "unpriced", "component",
        "purchase_option", "cluster", "holding", "allocation_flags",
        *HOUR_COLUMNS, "instance_hours", "accelerator_hours", *COST_COLUMNS,
        attribution=bucket(rows),
    )  # fmt: skip
    return with_hours_of_blocks(found, known_blocks)


def _with_pods(kinds: ir.Table, instances_without_accelerators: ir.Table) -> ir.Table:
    """Replaces the charges of instances that container pods ran on by the parts of these pods."""
    divided = instances_without_accelerators.select(
        workload_of="instance_workload",
        **{f"{name}_of": instances_without_accelerators[name] for name in INSTANCE},
    )
    whole = kinds.anti_join(divided, same_keys(kinds, divided, (*INSTANCE, "workload"), "_of"))
    return whole.union(instances_without_accelerators.select(whole.columns))
