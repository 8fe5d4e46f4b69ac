"""SQL conditions on charges, and sums of them, that queries of several pages share. METHOD §2."""

from __future__ import annotations

CONFIGURED_COST = """CASE (SELECT basis FROM snapshot) WHEN 'billed' THEN billed_cost
  WHEN 'list' THEN list_cost WHEN 'contracted' THEN contracted_cost ELSE effective_cost END"""
"""A charge's cost on the basis that the snapshot was built on."""
USED_HOURS = (
    "settled AND component = 'accelerator' AND platform IS NOT NULL AND accelerator_hours > 0"
)
"""Charges in `spend_daily` for accelerator-hours on settled days."""
WORKED_DAYS = "settled AND component = 'accelerator' AND platform IS NOT NULL AND worked"
"""The same condition on `accelerator_days`."""
RUNNING_HOURS = "attribution IN ('direct', 'shared', 'cluster_idle', 'overhead', 'untagged')"
"""Charges for hours of machines that ran, also those of shared machines that no job held.

Without idle commitment: for its hours no machine ran.
"""


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
