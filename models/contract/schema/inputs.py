"""Defines the columns of each table that a build reads beside deliveries: config, catalogue, …"""

from __future__ import annotations

from collections.abc import Mapping

from models.contract.schema.cost import OVER_ALLOCATED_PERIODS
from models.contract.schema.months import MONTHLY_SUMMARY
from models.contract.schema.savings import OLD_VOLUME
from models.contract.schema.trust import RESTATEMENTS
from models.contract.schema.types import MONEY, NUMBER

CONFIG: Mapping[str, Mapping[str, str]] = {
    "config_runs": {
        "run": "string",
        "workload": "string",
        "resumed_from": "string",
        "recipe": "string",
        "purpose": "string",
        "start_epoch": NUMBER,
        "machines": "int64",
    },
    "config_workloads": {
        "workload": "string",
        "target_loss": "float64",
        "require_verified": "boolean",
        "fixed_cost_per_epoch": MONEY,
        "ends": "date",
        "unit": "string",
        "planned_epochs": NUMBER,
        "tokens_per_step": NUMBER,
        "samples_per_step": NUMBER,
    },
    "config_investments": {
        "date": "date",
        "workload": "string",
        "kind": "string",
        "amount": MONEY,
        "amount_per_month": MONEY,
        "until": "date",
        "day_rate": MONEY,
    },
    "config_accounts": {"account": "string", "closed": "date"},
    "config_rules": {"run": "string", "workload": "string"},
}
"""Tables of the config."""

BESIDE: Mapping[str, Mapping[str, str]] = {
    "known_blocks": {
        "block": "string",
        "instance_type": "string",
        "instances": "int64",
        "start": "timestamp",
        "end": "timestamp",
        "fee": MONEY,
        "region": "string",
        "account": "string",
        "reservation": "string",
        "purchase": "string",
        "bought": "date",
        "exact": "boolean",
    },
    "allocation_days": {
        "cluster": "string",
        "account": "string",
        "region": "string",
        "day": "date",
        "complete": "boolean",
    },
    "over_allocations": OVER_ALLOCATED_PERIODS,
    "held_jobs": {
        "workload": "string",
        "run": "string",
        "cluster": "string",
        "job": "string",
        "instance_type": "string",
        "queued_at": "timestamp",
        "began": "timestamp",
        "ended": "timestamp",
        "still_held": "boolean",
        "waited": "int64",
    },
    "held_times": {
        "workload": "string",
        "run": "string",
        "began": "timestamp",
        "ended": "timestamp",
    },
    "catalog": {
        "instance_type": "string",
        "platform": "string",
        "hardware": "string",
        "accelerators": "int64",
        "peak_tflops": "float64",
        "vcpus": "int64",
    },
    "lineages": {
        "workload": "string",
        "run": "string",
        "lineage": "string",
        "resumes": "boolean",
    },
    "block_fees": {
        "block": "string",
        "billing_account": "string",
        "account": "string",
        "region": "string",
        "instance_type": "string",
        "held": "string",
        "date": "date",
        "refunded": "boolean",
        "billed_cost": MONEY,
        "list_cost": MONEY,
        "contracted_cost": MONEY,
    },
    "gross_bills": {"billing_account": "string", "billing_period": "string"},
    "member_bills": {"billing_account": "string"},
    "delivered_months": {"billing_account": "string", "month": "string"},
    "runs_hidden_by_grouping": {
        "run": "string",
        "billing_account": "string",
        "billing_period": "string",
    },
    "bill_totals": {
        "month": "string",
        "billing_account": "string",
        "account": "string",
        "basis": "string",
        "total": MONEY,
        "source": "string",
        "rank": "int64",
    },
    "delivered_days": {
        "source": "string",
        "account": "string",
        "day": "date",
        "pulled_at": "timestamp",
        "billed": "boolean",
    },
    "paid_requests": {"source": "string", "account": "string", "dollars": MONEY},
    "feeds": {
        "source": "string",
        "last_attempt": "timestamp",
        "last_success": "timestamp",
        "last_error": "string",
        "fresh_until": "timestamp",
        "stale": "boolean",
        "why": "string",
    },
    "restated_totals": {
        name: dtype for name, dtype in RESTATEMENTS.items() if not name.endswith("_change")
    },
    "closed_months": dict(MONTHLY_SUMMARY),
    "adjustments_due": {"workload": "string", "adjustments": MONEY},
    "old_volume": dict(OLD_VOLUME),
    "pull_notices": {"source": "string", "notice": "string"},
    "forecasts": {
        "workload": "string",
        "forecast_low": "date",
        "forecast_median": "date",
        "forecast_high": "date",
        "never_share": "float64",
        "saving_low": MONEY,
        "saving_high": MONEY,
        "baseline_low": NUMBER,
        "baseline_high": NUMBER,
        "trn_epoch_low": MONEY,
        "trn_epoch_high": MONEY,
        "forecast_reason": "string",
    },
}
"""The inputs of a build besides delivered rows: catalogue, lineages, totals, notices, forecasts.

`known_blocks`: the Capacity Blocks of the config and those in EC2's answers, each once, an
extension as a block of its own; `fee` is the config's (`exact`: EC2's, for an extension),
`purchase` the block's id and `bought` the day of purchase, both EC2's.

`allocation_days`: the days of which a cluster's allocations were delivered; `complete`: all of it.
`account` and `region` are named where several tell of clusters of one name.

`over_allocations`: periods of machines and pools in which jobs held more than there was.
`held_jobs`: the jobs of known runs, from submission to end, of the allocations that count; `waited`
are the seconds from submission to start of all attempts, `still_held` says that no delivered
day has its end (`ended` is when it was last seen), `instance_type` (without `ml.`) is that of
the machine held longest. `held_times`: from when to when each known run held a machine, cut to UTC
days; between the attempts of a job it held none.

`block_fees`: the part of a day's Capacity Block fees (or refunds) that belongs to each block; the
columns after `block` name the fee. `gross_bills`: billing account × month whose figures are gross
of discounts. `closed_months`: the rows of the newest version of each closed month.
`adjustments_due`: net saving less investment of all closed months as computed today, less the same
as reported to finance; null where today's is unknown; no row for a workload without a change.
`delivered_months`: the newest month that was delivered for a billing account alone, empty or not.
`member_bills`: accounts whose bill came from their own Cost Explorer though another account pays.
`runs_hidden_by_grouping`: runs, by month, whose charges Cost Explorer cannot attribute, because it
groups by at most two keys.
"""
