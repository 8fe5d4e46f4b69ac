"""The bill with its meaning: what ran, how it was bought, and whose it is.

Grain: that of `charge_kinds`; no charge is added or lost: every sum is the bill's. What a refund or
a correction takes back stands apart from what it takes back from, and `unpriced` hours from priced
ones. `attribution` is the first of METHOD §2.6 that holds;
`shared` and `overhead` are told apart later, where the runs of the day are known. An instance that
container pods divide stands here in their parts, which `hosted` made of it (METHOD §2.9).
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.joins import same_keys
from models.contract.schema import COST_COLUMNS
from models.marts.cost.charges.charge_kinds import SLOT
from models.marts.cost.charges.pod_shares import owned

WHOLE = ("billing_account", "account", "region", "date", "host", "workload")
"""What tells an instance's charges that pods divide, beside its usage type."""


def attributed(
    charge_kinds: ir.Table,
    run_workloads: ir.Table,
    hosted: ir.Table,
    hosted_kinds: ir.Table,
    settings: Settings,
) -> ir.Table:
    """When and where, instance, component, option, owner, and the sums."""
    rows = owned(_divided(charge_kinds, hosted, hosted_kinds), run_workloads)
    extra = [f"tag_{key}" for key in settings.tags.extra]
    return rows.select(
        "billing_period", "billing_account", "account", "date", "region", "commitment",
        "reservation", "workload", "run", *extra, "instance_type", "unpriced", "component",
        "purchase_option", *SLOT, "instance_hours", "accelerator_hours", *COST_COLUMNS,
        attribution=_bucket(rows),
    )  # fmt: skip


def _divided(kinds: ir.Table, hosted: ir.Table, parts: ir.Table) -> ir.Table:
    """The charges, those that pods divide in their parts."""
    whole = hosted.select(hosting_="sku", **{f"{name}_": hosted[name] for name in WHOLE})
    rest = kinds.anti_join(whole, same_keys(kinds, whole, (*WHOLE, "hosting"), "_"))
    return rest.union(parts.select(rest.columns))


def _bucket(rows: ir.Table) -> ir.Value:
    """METHOD §2.6, in its order; `shared` stands for overhead too until the runs are known."""
    whose = ibis.cases(
        (rows.run.notnull() & rows.workload.notnull(), "direct"),
        (rows.workload.notnull(), "shared"),
        (rows.accelerated, "untagged"),
        else_="other",
    )
    return ibis.coalesce(rows.bucket, whose)
