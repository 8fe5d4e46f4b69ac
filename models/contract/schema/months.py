"""Columns of the marts about months (METHOD §7)."""

from __future__ import annotations

from collections.abc import Mapping

from models.contract.schema.types import MONEY, NUMBER, REASONS

MONTHLY_SUMMARY: Mapping[str, str] = {
    "month": "string",
    "workload": "string",
    "gpu_cost": MONEY,
    "trn_cost": MONEY,
    "unit": "string",
    "gpu_epochs": NUMBER,
    "trn_epochs": NUMBER,
    "gpu_cost_per_epoch": MONEY,
    "trn_cost_per_epoch": MONEY,
    "baseline_method": "string",
    "baseline_value": MONEY,
    "baseline_reason": "string",
    "counterfactual": MONEY,
    "gross_saving": MONEY,
    "overhead": MONEY,
    "net_saving": MONEY,
    "saving_at_list": MONEY,
    "saving_at_old_volume": MONEY,
    "investment": MONEY,
    "cumulative_net": MONEY,
    "cumulative_investment": MONEY,
    "roi": NUMBER,
    "status": "string",
    "credits": MONEY,
    "credit_share": NUMBER,
    "settled_through": "date",
    "parity": "string",
    "comparability": "string",
    "covered_share": NUMBER,
    "left_out": REASONS,
    "flagged": REASONS,
    "adjustments": MONEY,
}

MONTH_FACTS: Mapping[str, str] = {
    name: dtype for name, dtype in MONTHLY_SUMMARY.items() if name != "adjustments"
}
"""`monthly_summary` of every month as it is computed today, also where it was closed."""

AMOUNTS = (
    "gpu_cost", "trn_cost", "gpu_epochs", "trn_epochs", "counterfactual", "gross_saving",
    "overhead", "net_saving", "saving_at_list", "saving_at_old_volume", "investment",
    "cumulative_net", "cumulative_investment", "credits",
)  # fmt: skip
"""Dollars and work that are 0 in a month of a workload of which nothing is left."""

MARTS: Mapping[str, Mapping[str, str]] = {
    "monthly_summary": MONTHLY_SUMMARY,
}
"""Published marts of this chapter."""
