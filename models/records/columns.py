"""Defines the tables of a month's statement: columns and types. Dollars, UTC, null = unknown.

`summary`: the month, a row per workload and `(portfolio)`: `monthly_summary` (METHOD §7.1), and
    `compared_cost`, the Trainium cost that the counterfactual is compared with; `uncompared_cost`,
    the rest of it, so that gross saving = counterfactual − (Trainium cost − uncompared cost);
    `opening_net`, the cumulative net that the month before ended with.
`to_date`: the same flows from the first month of the fiscal `quarter` and `year` to this one.
`history`: the same flows of every month to this one; closed months as they were closed.
    `other_change`: other changes of the cumulative net: by months never closed, or reopened.
    `gpu_cost_per_epoch` and `trn_cost_per_epoch` are of the main kind of work, as far as its unit
    counts it, whose epochs a row has; null, unless all cost ÷ these epochs is another amount.
`baselines`: the GPU baseline on the month's last settled day, by each method, and its reason; a
    row for each kind of work that has one of its own (`kind_of_work`, null: the workload's main
    kind).
`baseline_runs`: the GPU lineages of each baseline, their epochs and dollars: `measured` is the sum
    of dollars ÷ the sum of epochs. `baseline_hours`: how their hours were bought and what they cost
    at the day's price: `repriced` of the baseline is the sum of `repriced`, and `other_per_epoch`.
`runs`: what each run cost and did on settled days of the month, by component, on the configured
    basis; cost of its other days is `unsettled`.
`tie_out`: the rows of the mart `tie_out` for this month.
`unsettled`: what the month does not count yet (METHOD §1.1). Per workload and of `(portfolio)` its
    days (`waits_for` null), also those of which no dollar is delivered; of `(portfolio)` besides,
    per `waits_for` (`bill`, `allocations`, `workload_day`), the days and dollars that wait.
`adjustments`: what closed months would be today, less what was closed and adjusted before;
    `changed_by` is `edition` where the method changed, else `inputs`.
In `summary`, `baselines` and `runs`, `unit` says what their epochs count; null: several units.
`curve`: cumulative net of the portfolio at the end of each week, as known at the statement's date.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from models.contract.edition import EDITION_OF_UNMARKED
from models.contract.schema import EXPLAINERS, MARTS, MONEY, NUMBER
from models.records import first_edition

COSTS = ("gpu_cost", "trn_cost", "counterfactual", "compared_cost", "gross_saving", "overhead")
NETS = (
    "net_saving", "saving_at_list", "saving_at_old_volume", "investment", "credits", "adjustments",
)  # fmt: skip
EPOCHS = ("gpu_epochs", "trn_epochs")
COSTS_PER_EPOCH = ("gpu_cost_per_epoch", "trn_cost_per_epoch")
FLOWS = (*COSTS, "uncompared_cost", *NETS)
"""Dollars that add up over months."""
BUCKETS = (
    "direct", "shared", "cluster_idle", "overhead", "idle_commitment", "untagged", "purchase",
    "credit", "refund", "tax", "support", "other",
)  # fmt: skip
ADDED = {**dict.fromkeys(EPOCHS, NUMBER), **dict.fromkeys(FLOWS, MONEY)}
TABLES: Mapping[str, Mapping[str, str]] = {
    "summary": {
        **MARTS["monthly_summary"],
        "compared_cost": MONEY,
        "uncompared_cost": MONEY,
        "opening_net": MONEY,
        "other_change": MONEY,
    },
    "to_date": {"period": "string", "since": "string", "workload": "string", **ADDED},
    "history": {
        "month": "string",
        "workload": "string",
        "closed": "int64",
        **ADDED,
        "cumulative_net": MONEY,
        "cumulative_investment": MONEY,
        "roi": NUMBER,
        "other_change": MONEY,
        **dict.fromkeys(COSTS_PER_EPOCH, MONEY),
    },
    "baselines": {
        "workload": "string",
        "kind_of_work": "string",
        "unit": "string",
        "date": "date",
        "method": "string",
        "value": MONEY,
        "measured": MONEY,
        "repriced": MONEY,
        "fixed": MONEY,
        "runs": "int64",
        "reason": "string",
    },
    "baseline_runs": EXPLAINERS["baseline_runs"],
    "baseline_hours": EXPLAINERS["baseline_hours"],
    "runs": {
        "workload": "string",
        "run": "string",
        "hardware": "string",
        "purpose": "string",
        "accelerator_hours": NUMBER,
        "unit": "string",
        "epochs": NUMBER,
        "accelerator_cost": MONEY,
        "storage_cost": MONEY,
        "network_cost": MONEY,
        "other_cost": MONEY,
        "cost": MONEY,
        "unsettled": MONEY,
        "parity": "string",
        "comparability": "string",
    },
    "tie_out": MARTS["tie_out"],
    "adjustments": {
        "month": "string",
        "version": "int64",
        "kind": "string",
        "workload": "string",
        "billing_account": "string",
        "account": "string",
        "basis": "string",
        "measure": "string",
        "closed": MONEY,
        "adjusted_before": MONEY,
        "now": MONEY,
        "amount": MONEY,
        "changed_by": "string",
        "cause": "string",
    },
    "unsettled": {
        "workload": "string",
        "waits_for": "string",
        "days": "int64",
        "first": "date",
        "last": "date",
        "cost": MONEY,
    },
    "curve": {"date": "date", "cumulative_net": MONEY},
}


def tables_of(edition: int) -> Mapping[str, Mapping[str, str]]:
    """Returns the tables of a statement in an edition of the method: table → column → type."""
    return first_edition.TABLES if edition == EDITION_OF_UNMARKED else TABLES


def in_buckets(row: Mapping[str, Any]) -> Decimal:
    """Returns a row's sum over all cost buckets (direct, shared, …), null counts as 0.

    A statement of an earlier version lacks the buckets that came later, and its bill had no dollars
    in them.
    """
    return sum((row[name] or Decimal(0) for name in BUCKETS), Decimal(0))
