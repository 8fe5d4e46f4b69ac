"""What each charge is, whose it is and what it costs (METHOD §2).

In: the delivered lines of the bill (`charges`), progress and the config. Out: `spend_daily`, the
spend of each day by owner and bucket, with commitments, Capacity Blocks and the tie-out. Chapter:
METHOD §2, and "settled" of §1.
"""

from __future__ import annotations

from collections.abc import Callable

import ibis.expr.types as ir

from models.marts.cost.amortised import amortised
from models.marts.cost.attributed import attributed
from models.marts.cost.capacity_blocks.block_days import capacity_blocks
from models.marts.cost.capacity_blocks.block_spend import block_spend
from models.marts.cost.capacity_blocks.block_use import block_use
from models.marts.cost.charges.charge_kinds import charge_kinds
from models.marts.cost.charges.pod_shares import hosted
from models.marts.cost.charges.usage_types import usages
from models.marts.cost.commitments.commitments import commitments
from models.marts.cost.commitments.committed import committed
from models.marts.cost.commitments.covered_hours import covered_hours
from models.marts.cost.commitments.idle_commitments import idle_commitments
from models.marts.cost.commitments.silent_payers import silent_payers
from models.marts.cost.commitments.stranded_commitments import stranded_commitments
from models.marts.cost.hidden_credits import hidden_credits
from models.marts.cost.hosted_kinds import hosted_kinds
from models.marts.cost.prices.capacity_offers import capacity_offers, offered
from models.marts.cost.prices.committed_rates import committed_rates
from models.marts.cost.run_workloads import run_workloads
from models.marts.cost.settled_days.billed_days import billed_days
from models.marts.cost.settled_days.bills import bills
from models.marts.cost.settled_days.settled_accounts import settled_accounts
from models.marts.cost.spend_daily import spend_daily
from models.marts.cost.spend_sums import accelerator_days, counted_runs, run_parts
from models.marts.cost.tie_out import tie_out

COST: tuple[Callable[..., ir.Table], ...] = (
    billed_days,
    settled_accounts,
    bills,
    run_workloads,
    usages,
    charge_kinds,
    hosted,
    hosted_kinds,
    attributed,
    capacity_blocks,
    block_use,
    block_spend,
    amortised,
    spend_daily,
    committed,
    hidden_credits,
    covered_hours,
    idle_commitments,
    stranded_commitments,
    commitments,
    silent_payers,
    tie_out,
    committed_rates,
    capacity_offers,
    offered,
    accelerator_days,
    run_parts,
    counted_runs,
)
"""In the order in which a build should begin them, as far as they depend on each other."""
