"""SQL conditions on charges, and sums of them, that queries of several pages share. METHOD §2."""

from __future__ import annotations

from dashboard.address.view import SHARE_DAYS
from models.contract.rules import attribution_groups as groups

BASIS_COST = """CASE (SELECT basis FROM snapshot) WHEN 'billed' THEN billed_cost
  WHEN 'list' THEN list_cost WHEN 'contracted' THEN contracted_cost ELSE effective_cost END"""
"""A charge's cost on the basis that the snapshot was built on, as it stands there."""
CONFIGURED_COST = f"""CASE WHEN (SELECT basis FROM snapshot) <> 'billed'
  OR component IS DISTINCT FROM 'accelerator'
  OR (purchase_option = 'capacity_block' OR billed_cost = 0 AND effective_cost <> 0) IS NOT TRUE
  THEN {BASIS_COST} END"""
"""The same where it is known: as billed, hours that were paid for before have no cost of their own.

What `models.contract.rules.known_cost` says of charges, for `spend_daily` and `accelerator_days`.
"""
USED_HOURS = (
    "settled AND component = 'accelerator' AND platform IS NOT NULL AND accelerator_hours > 0"
)
"""Charges in `spend_daily` for accelerator-hours on settled days."""
WORKED_DAYS = "settled AND component = 'accelerator' AND platform IS NOT NULL AND worked"
"""The same condition on `accelerator_days`."""
RUNNING_HOURS = f"attribution IN {groups.OF_RUNNING_MACHINES}"
"""Charges for hours of machines that ran, also those of shared machines that no job held."""
OF_RUNS = f"attribution IN {groups.OF_RUNS}"
"""Charges that make up the cost of runs."""
UNTAGGED = f"attribution = '{groups.UNTAGGED}'"
"""Accelerator charges that name neither a run nor a workload."""
TRAINING = f"""settled AND hardware IN ('gpu', 'trainium') AND {OF_RUNS}
  AND component = 'accelerator' AND (workload, date) IN (
    SELECT (workload, date) FROM savings_daily WHERE settled
    QUALIFY row_number() OVER (PARTITION BY workload ORDER BY date DESC) <= {SHARE_DAYS})"""
"""Charges in `spend_daily` for training on the last settled days of each workload."""


def known_sum(amount: str, where: str = "TRUE") -> str:
    """Returns SQL for the sum of an amount over rows that meet a condition.

    Null as soon as one amount is (METHOD §2.5), 0 without such rows.
    """
    every, known = (f"count({of}) FILTER ({where})" for of in ("*", amount))
    return f"CASE WHEN {every} = {known} THEN coalesce(sum({amount}) FILTER ({where}), 0) END"


def hours_sum(where: str = "TRUE") -> str:
    """Returns SQL for the sum of accelerator-hours over rows that meet a condition.

    0 without such rows, and for charges that are of no hours: that no hour is theirs is known.
    """
    return f"coalesce(sum(accelerator_hours) FILTER ({where}), 0)"
