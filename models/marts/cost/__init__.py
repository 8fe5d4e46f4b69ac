"""Determines what each charge is, who owns it and what it costs (METHOD §2).

In: the delivered lines of the bill (`charges`), progress and the config. Out: `spend_daily`, the
spend of each day by owner and bucket, with commitments, Capacity Blocks and the tie-out. Chapter:
METHOD §2, and "settled" of §1.
"""

from __future__ import annotations

from collections.abc import Callable

import ibis.expr.types as ir

from models.marts.cost.accelerator_days import accelerator_days
from models.marts.cost.attributed import attributed
from models.marts.cost.capacity_blocks.block_spend import block_spend
from models.marts.cost.charged_hours import charged_hours
from models.marts.cost.charges.charge_kinds import charge_kinds
from models.marts.cost.charges.instances_without_accelerators import instances_without_accelerators
from models.marts.cost.charges.usage_types import usage_types
from models.marts.cost.commitments.committed import committed
from models.marts.cost.commitments.idle_commitments import idle_commitments
from models.marts.cost.commitments.idle_of_uncertain_owner import idle_by_kind
from models.marts.cost.commitments.idle_shares import commitment_shares, commitments
from models.marts.cost.commitments.silent_payers import silent_payers
from models.marts.cost.counted_runs import counted_runs
from models.marts.cost.credit_shares import credit_shares
from models.marts.cost.hidden_credits import hidden_credits
from models.marts.cost.pools.allocation_coverage import allocation_coverage
from models.marts.cost.pools.over_allocated_periods import over_allocated_periods
from models.marts.cost.pools.pool_days import pool_days
from models.marts.cost.pools.pool_idle import pool_idle, pool_shares
from models.marts.cost.pools.pool_use import pool_use
from models.marts.cost.pools.pools import pools
from models.marts.cost.prices.capacity_offers import capacity_offers
from models.marts.cost.prices.committed_rates import committed_rates
from models.marts.cost.prices.offered import offered
from models.marts.cost.prices.price_steps import price_steps
from models.marts.cost.run_workloads import run_workloads
from models.marts.cost.settled_days.billed_days import billed_days
from models.marts.cost.settled_days.final_spend import bills
from models.marts.cost.settled_days.settled_accounts import settled_accounts
from models.marts.cost.settled_days.unsettled_spend import unsettled_spend
from models.marts.cost.spend_daily import spend_daily
from models.marts.cost.tie_out import tie_out

COST: tuple[Callable[..., ir.Table], ...] = (
    billed_days,
    settled_accounts,
    bills,
    run_workloads,
    usage_types,
    charge_kinds,
    charged_hours,
    instances_without_accelerators,
    attributed,
    block_spend,
    spend_daily,
    pool_days,
    pool_shares,
    pool_idle,
    pools,
    allocation_coverage,
    pool_use,
    over_allocated_periods,
    unsettled_spend,
    committed,
    hidden_credits,
    credit_shares,
    idle_commitments,
    commitment_shares,
    commitments,
    idle_by_kind,
    silent_payers,
    tie_out,
    price_steps,
    committed_rates,
    capacity_offers,
    offered,
    accelerator_days,
    counted_runs,
)
"""Each follows what it reads of this package. `spend_reduced` is made per delivery, before all."""
