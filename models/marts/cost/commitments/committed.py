"""Selects the charges that involve a commitment, a reservation or a Capacity Block."""

from __future__ import annotations

import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.declaration import step
from models.contract.joins import left_join
from models.marts.cost.attribution_buckets import IDLE_COMMITMENT
from models.marts.cost.capacity_blocks.with_block_costs import amortised
from models.marts.cost.charges.usage_types import instance_types
from models.marts.cost.settled_days.settled_accounts import with_settled


@step(
    grain="that of attributed",
    units="cost: dollars on the configured basis; spread: dollars, effective; instance hours",
    nulls="cost: its price is missing; commitment, reservation: none",
    method="§2.6, §2.7, §2.11",
    whose="run",
)
def committed(
    attributed: ir.Table,
    block_spend: ir.Table,
    block_fees: ir.Table,
    catalog: ir.Table,
    settled_accounts: ir.Table,
    settings: Settings,
) -> ir.Table:
    """Selects charges with a commitment, reservation or Capacity Block, and all idle commitment.

    Most of a bill is other charges, which are left out. `spread` is the effective cost that
    Capacity Block fees moved into the row.
    """
    charges = amortised(attributed, block_spend, block_fees)
    of_block = charges.purchase_option == "capacity_block"
    named = charges.commitment.notnull() | charges.reservation.notnull()
    rows = charges.filter(named | of_block | (charges.attribution == IDLE_COMMITMENT))
    rows = left_join(rows, instance_types(catalog), ["instance_type"])
    return with_settled(rows, settled_accounts).select(
        "billing_period", "billing_account", "account", "date", "commitment", "reservation",
        "workload", "run", "instance_type", "platform", "hardware", "purchase_option",
        "attribution", "instance_hours", "settled", "spread", cost=f"{settings.cost.basis}_cost",
    )  # fmt: skip
