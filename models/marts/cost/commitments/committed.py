"""Charges that a commitment, a reservation or a Capacity Block has to do with.

Grain: that of `amortised`, dollars on the configured basis (`cost`). All others are most of a bill.
"""

from __future__ import annotations

import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.joins import left_join
from models.marts.cost.charges.usage_types import types
from models.marts.cost.settled_days.settled_accounts import with_settled


def committed(
    amortised: ir.Table, catalog: ir.Table, settled_accounts: ir.Table, settings: Settings
) -> ir.Table:
    """Whose, when, where, what it ran on, `cost`, and `spread`."""
    of_block = amortised.purchase_option == "capacity_block"
    named = amortised.commitment.notnull() | amortised.reservation.notnull()
    rows = amortised.filter(named | of_block | (amortised.attribution == "idle_commitment"))
    rows = left_join(rows, types(catalog), ["instance_type"])
    return with_settled(rows, settled_accounts).select(
        "billing_period", "billing_account", "account", "date", "commitment", "reservation",
        "workload", "run", "instance_type", "hardware", "purchase_option", "attribution",
        "instance_hours", "settled", "spread", cost=f"{settings.cost.basis}_cost",
    )  # fmt: skip
