"""The contract: the columns of `charges`, `progress`, `prices` and of every published mart.

Names and order are relied on from outside (exports, notebooks, the dashboard). Money is
dollars in DECIMAL; `RATIOS` and hours, epochs and counts are plain numbers. Columns that
come from `tags.extra` are written `tag_<key>` and stand where `TAGS` stands below.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import ibis
import ibis.expr.schema as sch

from models.contract.portfolio import PORTFOLIO as PORTFOLIO

AMOUNT = "decimal(18, 9)"
"""One delivered amount: exact, int64-backed, up to a billion dollars."""
MONEY = "decimal(38, 9)"
"""A sum of amounts, and everything computed from one."""
NUMBER = "decimal(38, 9)"
"""Hours, epochs, samples: exact like money, but exported as a number."""
REASONS = "map<string, decimal(38, 9)>"
"""Reason in words → dollars."""
TAGS = "tag_*"

COSTS = ("ListCost", "ContractedCost", "EffectiveCost", "BilledCost")
COST_COLUMNS = ("list_cost", "contracted_cost", "effective_cost", "billed_cost")

CHARGES = {
    "BillingAccountId": "string",
    "SubAccountId": "string",
    "BillingPeriodStart": "date",
    "ChargePeriodStart": "timestamp",
    "ChargePeriodEnd": "timestamp",
    "BillingCurrency": "string",
    "ProviderName": "string",
    "ServiceName": "string",
    "ServiceCategory": "string",
    "RegionId": "string",
    "ResourceId": "string",
    "HostResourceId": "string",
    "ChargeCategory": "string",
    "ChargeClass": "string",
    "ChargeDescription": "string",
    "ChargeFrequency": "string",
    "PricingCategory": "string",
    "CommitmentDiscountId": "string",
    "CommitmentDiscountStatus": "string",
    "CapacityReservationId": "string",
    "CapacityReservationStatus": "string",
    "SkuMeter": "string",
    "InstanceType": "string",
    "ConsumedQuantity": NUMBER,
    "ConsumedUnit": "string",
    "InvoiceId": "string",
    "Tags": "string",
    "workload": "string",
    "run": "string",
    TAGS: "string",
    "ListCost": AMOUNT,
    "ContractedCost": AMOUNT,
    "EffectiveCost": AMOUNT,
    "BilledCost": AMOUNT,
}
"""One delivered line of a bill, FOCUS names, typed; plus the resolved tags.

`HostResourceId`: the instance of a container pod's row, and of the instance's own (METHOD §2.9).
"""

PROGRESS = {
    "observed_at": "timestamp",
    "workload": "string",
    "run": "string",
    "epoch": NUMBER,
    "loss": "float64",
    "samples": NUMBER,
    "tokens": NUMBER,
    "samples_per_epoch": NUMBER,
    "recipe": "string",
    "purpose": "string",
    "resumed_from": "string",
    "start_epoch": NUMBER,
    "excludes_repeats": "boolean",
}
"""One sample of a run's progress; counters are cumulative, `observed_at` is UTC.

Counters that exclude repeats count the run's own work from 0, wherever its parent stood.
"""

PRICES = {
    "instance_type": "string",
    "region": "string",
    "purchase_option": "string",
    "usd_per_hour": AMOUNT,
    "effective_from": "date",
    "observed_on": "date",
    "plan": "string",
}
"""One observation of a price: dollars per instance-hour, in force from a date.

`plan`: the kind of Savings Plan, or the reserved term, that a committed rate belongs to; null for
public prices.
"""

CAPACITY = {
    "kind": "string",
    "account": "string",
    "region": "string",
    "zone": "string",
    "instance_type": "string",
    "reservation": "string",
    "block": "string",
    "reservations": "string",
    "offering": "string",
    "reservation_type": "string",
    "state": "string",
    "tenancy": "string",
    "owner": "string",
    "instances": "int64",
    "available": "int64",
    "created": "timestamp",
    "start": "timestamp",
    "end": "timestamp",
    "end_type": "string",
    "hours": "int64",
    "fee": AMOUNT,
    "observed_on": "date",
    "said_at": "timestamp",
}
"""One thing that EC2 said about capacity, whenever it said it; times are UTC, `fee` is dollars.

`kind`: `reservation`, `block` (with its `reservations`, a JSON list), `extension` (of a block's
hours), `offer` (a Capacity Block for sale), `zone` (a zone that has the instance type). What a kind
does not have is null.
"""

JOBS = {
    "account": "string",
    "region": "string",
    "job": "string",
    "workload": "string",
    "run": "string",
    "status": "string",
    "instance_type": "string",
    "instances": "int64",
    "managed_spot": "boolean",
    "created_at": "timestamp",
    "started_at": "timestamp",
    "ended_at": "timestamp",
    "training_hours": NUMBER,
    "billed_hours": NUMBER,
    "warm_pool_hours": NUMBER,
}
"""One SageMaker training job on one type of machine; times are UTC, hours are instance-hours.

Of a job that runs the hours are null. `billed_hours` is less than `training_hours` by what managed
Spot saved; `warm_pool_hours` were kept and billed after the job.
"""

UTILISATION = {
    "observed_at": "timestamp",
    "account": "string",
    "region": "string",
    "host": "string",
    "device": "string",
    "instance_type": "string",
    "run": "string",
    "resource": "string",
    "metric": "string",
    "seconds": "int64",
    "value": "float64",
    "share": "float64",
}
"""How busy a machine, or a part of it, was for some `seconds` from `observed_at` on, UTC.

`resource`: `gpu`, `neuroncore`, `gpu_power`, `cpu`. `value` is as published, `share` a fraction of
all there is; null where nobody said of how much. `run` is known where a job names itself.
"""

DELIVERED: Mapping[str, Mapping[str, str]] = {
    "charges": CHARGES,
    "progress": PROGRESS,
    "prices": PRICES,
    "capacity": CAPACITY,
    "jobs": JOBS,
    "utilisation": UTILISATION,
}
"""What delivered lines become: the tables that every mart stands on."""

MARTS: Mapping[str, Mapping[str, str]] = {
    "spend_daily": {
        "date": "date",
        "billing_period": "string",
        "billing_account": "string",
        "account": "string",
        "region": "string",
        "workload": "string",
        "run": "string",
        "instance_type": "string",
        "purchase_option": "string",
        "component": "string",
        "attribution": "string",
        TAGS: "string",
        "platform": "string",
        "hardware": "string",
        "instance_hours": NUMBER,
        "accelerator_hours": NUMBER,
        "list_cost": MONEY,
        "contracted_cost": MONEY,
        "effective_cost": MONEY,
        "billed_cost": MONEY,
        "unpriced": "boolean",
        "settled": "boolean",
        "invoiced": "boolean",
        "final": "boolean",
    },
    "progress_daily": {
        "date": "date",
        "workload": "string",
        "run": "string",
        "epochs": NUMBER,
        "repeated_epochs": NUMBER,
        "samples": NUMBER,
        "tokens": NUMBER,
        "loss": "float64",
    },
    "runs": {
        "workload": "string",
        "run": "string",
        "hardware": "string",
        "platform": "string",
        "lineage": "string",
        "started_at": "timestamp",
        "ended_at": "timestamp",
        "purpose": "string",
        "recipe": "string",
        TAGS: "string",
        "cost": MONEY,
        "unsettled": MONEY,
        "epochs": NUMBER,
        "credited_epochs": NUMBER,
        "cost_per_epoch": MONEY,
        "cost_to_target_loss": MONEY,
        "final_loss": "float64",
        "parity": "string",
        "comparability": "string",
        "accelerator_hours": NUMBER,
        "idle_cost": MONEY,
        "repeated_epochs": NUMBER,
        "repeated_cost": MONEY,
        "accelerator_cost": MONEY,
        "storage_cost": MONEY,
        "network_cost": MONEY,
        "other_cost": MONEY,
        "list_cost": MONEY,
        "flags": "array<string>",
    },
    "cost_per_epoch": {
        "period": "string",
        "period_start": "date",
        "workload": "string",
        "hardware": "string",
        "cost": MONEY,
        "epochs": NUMBER,
        "cost_per_epoch": MONEY,
        "runs": "int64",
        "settled": "boolean",
    },
    "baselines": {
        "date": "date",
        "workload": "string",
        "measured": MONEY,
        "repriced": MONEY,
        "fixed": MONEY,
        "value": MONEY,
        "value_at_list": MONEY,
        "method": "string",
        "runs": "int64",
        "flags": "array<string>",
        "reason": "string",
    },
    "savings_daily": {
        "date": "date",
        "workload": "string",
        "trn_cost": MONEY,
        "epochs": NUMBER,
        "credited_epochs": NUMBER,
        "counterfactual": MONEY,
        "gross_saving": MONEY,
        "overhead": MONEY,
        "net_saving": MONEY,
        "saving_at_list": MONEY,
        "investment": MONEY,
        "cumulative_net_saving": MONEY,
        "cumulative_investment": MONEY,
        "cumulative_net": MONEY,
        "settled": "boolean",
        "counterfactual_at_list": MONEY,
    },
    "break_even": {
        "workload": "string",
        "status": "string",
        "progress": NUMBER,
        "cumulative_gross_saving": MONEY,
        "cumulative_net_saving": MONEY,
        "cumulative_investment": MONEY,
        "cumulative_net": MONEY,
        "cumulative_saving_at_list": MONEY,
        "break_even_date": "date",
        "forecast_median": "date",
        "forecast_low": "date",
        "forecast_high": "date",
        "never_share": "float64",
        "runs_to_break_even": "int64",
        "payback_months": "float64",
        "roi": NUMBER,
        "saving_per_epoch": MONEY,
        "saving_low": MONEY,
        "saving_high": MONEY,
        "baseline_low": NUMBER,
        "baseline_high": NUMBER,
        "trn_epoch_low": MONEY,
        "trn_epoch_high": MONEY,
        "parity": "string",
        "left_out": REASONS,
        "flagged": REASONS,
        "reason": "string",
        "forecast_reason": "string",
    },
    "monthly_summary": {
        "month": "string",
        "workload": "string",
        "gpu_cost": MONEY,
        "trn_cost": MONEY,
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
        "investment": MONEY,
        "cumulative_net": MONEY,
        "status": "string",
        "credits": MONEY,
        "settled_through": "date",
        "parity": "string",
        "comparability": "string",
        "left_out": REASONS,
        "flagged": REASONS,
        "adjustments": MONEY,
    },
    "tie_out": {
        "month": "string",
        "billing_account": "string",
        "account": "string",
        "basis": "string",
        "direct": MONEY,
        "shared": MONEY,
        "overhead": MONEY,
        "idle_commitment": MONEY,
        "untagged": MONEY,
        "purchase": MONEY,
        "credit": MONEY,
        "refund": MONEY,
        "tax": MONEY,
        "support": MONEY,
        "other": MONEY,
        "bridge": MONEY,
        "block_spread": MONEY,
        "bill_total": MONEY,
        "total_source": "string",
        "remainder": MONEY,
    },
    "unmatched_runs": {
        "workload": "string",
        "run": "string",
        "seen_in": "string",
        "first_day": "date",
        "last_day": "date",
        "cost": MONEY,
        "accelerator_hours": NUMBER,
        "epochs": NUMBER,
        "cause": "string",
        "counterpart_workload": "string",
        "counterpart_run": "string",
        "tag_rule": "string",
    },
    "restatements": {
        "month": "string",
        "billing_account": "string",
        "account": "string",
        "source": "string",
        "pulled_at": "timestamp",
        "settled": "boolean",
        "counted": "boolean",
        "old_billed": MONEY,
        "new_billed": MONEY,
        "billed_change": MONEY,
        "old_effective": MONEY,
        "new_effective": MONEY,
        "effective_change": MONEY,
    },
    "freshness": {
        "source": "string",
        "account": "string",
        "last_success": "timestamp",
        "last_attempt": "timestamp",
        "last_error": "string",
        "fresh_until": "timestamp",
        "stale": "boolean",
        "why": "string",
        "newest_day": "date",
        "gap_days": "int64",
        "settled_through": "date",
        "restated_cost": MONEY,
        "requests_today": "int64",
        "dollars_today": MONEY,
        "notice": "string",
    },
}
"""Published mart → column → type, in order."""

EXPLAINERS: Mapping[str, Mapping[str, str]] = {
    "portfolio_daily": MARTS["savings_daily"],
    "settled_accounts": {
        "billing_account": "string",
        "newest_day": "date",
        "settled_through": "date",
        "contradicted": "date",
        "newest_month": "string",
    },
    "snapshot": {
        "version": "string",
        "snapshot_id": "string",
        "as_of": "date",
        "settled_through": "date",
        "basis": "string",
        "baseline_method": "string",
    },
    "queries": {"mart": "string", "sql": "string"},
    "month_facts": {
        name: dtype for name, dtype in MARTS["monthly_summary"].items() if name != "adjustments"
    },
    "baseline_parts": {
        "date": "date",
        "workload": "string",
        "platform": "string",
        "instance_type": "string",
        "region": "string",
        "purchase_option": "string",
        "runs": "int64",
        "epochs": NUMBER,
        "instance_hours": NUMBER,
        "effective_cost": MONEY,
        "list_cost": MONEY,
        "hours_per_epoch": NUMBER,
        "price": MONEY,
        "factor": NUMBER,
        "repriced": MONEY,
        "other_per_epoch": MONEY,
    },
    "further_baselines": {
        "date": "date",
        "workload": "string",
        "kind": "int64",
        "kind_of_work": "string",
        "recipe": "string",
        "samples_per_epoch": NUMBER,
        **{
            name: dtype
            for name, dtype in MARTS["baselines"].items()
            if name not in ("date", "workload")
        },
    },
    "baseline_runs": {
        "month": "string",
        "workload": "string",
        "kind_of_work": "string",
        "lineage": "string",
        "ended_on": "date",
        "qualifies": "boolean",
        "epochs": NUMBER,
        "cost": MONEY,
    },
    "baseline_hours": {
        "month": "string",
        "workload": "string",
        "kind_of_work": "string",
        "platform": "string",
        "instance_type": "string",
        "region": "string",
        "purchase_option": "string",
        "epochs": NUMBER,
        "instance_hours": NUMBER,
        "effective_cost": MONEY,
        "reference_cost": MONEY,
        "price": MONEY,
        "repriced": MONEY,
        "other_per_epoch": MONEY,
    },
    "late_changes": {
        "month": "string",
        "since": "timestamp",
        "changed_at": "timestamp",
        "change": MONEY,
        "total": MONEY,
    },
    "price_changes": {
        "workload": "string",
        "instance_type": "string",
        "region": "string",
        "purchase_option": "string",
        "effective_from": "date",
        "usd_per_hour": MONEY,
        "previous_usd_per_hour": MONEY,
    },
    "price_history": {
        "instance_type": "string",
        "platform": "string",
        "hardware": "string",
        "accelerators": "int64",
        "region": "string",
        "purchase_option": "string",
        "since": "date",
        "until": "date",
        "usd_per_hour": MONEY,
        "previous_usd_per_hour": MONEY,
    },
    "committed_rates": {
        "instance_type": "string",
        "region": "string",
        "plan": "string",
        "years": "int64",
        "usd_per_hour": MONEY,
        "observed_on": "date",
    },
    "loss_curve": {
        "workload": "string",
        "run": "string",
        "hardware": "string",
        "observed_at": "timestamp",
        "epoch": NUMBER,
        "loss": "float64",
        "cost_so_far": MONEY,
        "hours_so_far": NUMBER,
    },
    "investments": {
        "date": "date",
        "workload": "string",
        "kind": "string",
        "amount": MONEY,
    },
    "capacity_offers": {
        "account": "string",
        "region": "string",
        "zone": "string",
        "instance_type": "string",
        "instances": "int64",
        "hours": "int64",
        "start": "timestamp",
        "end": "timestamp",
        "fee": MONEY,
        "usd_per_hour": MONEY,
        "observed_on": "date",
    },
    "offered": {
        "account": "string",
        "region": "string",
        "zone": "string",
        "instance_type": "string",
        "observed_on": "date",
    },
    "accelerator_days": {
        "date": "date",
        "region": "string",
        "instance_type": "string",
        "platform": "string",
        "hardware": "string",
        "purchase_option": "string",
        "component": "string",
        "attribution": "string",
        "settled": "boolean",
        "unpriced": "boolean",
        "worked": "boolean",
        "listed": "boolean",
        "accelerator_hours": NUMBER,
        "list_cost": MONEY,
        "contracted_cost": MONEY,
        "effective_cost": MONEY,
        "billed_cost": MONEY,
    },
    "run_parts": {
        "workload": "string",
        "run": "string",
        "region": "string",
        "purchase_option": "string",
        "instance_type": "string",
        "account": "string",
        "charged": "boolean",
        "epochs": NUMBER,
        "accelerator_hours": NUMBER,
        "list_cost": MONEY,
        "contracted_cost": MONEY,
        "effective_cost": MONEY,
        "billed_cost": MONEY,
    },
    "counted_runs": MARTS["runs"],
    "paces": {
        "workload": "string",
        "settled_through": "date",
        "runs": "int64",
        "recent_runs": "int64",
        "monthly_upkeep": MONEY,
        "upkeep_so_far": MONEY,
        "epochs": NUMBER,
        "credited_epochs": NUMBER,
        "counterfactual": MONEY,
        "trn_cost": MONEY,
        "overhead": MONEY,
        "recent_epochs": NUMBER,
        "recent_credited_epochs": NUMBER,
        "recent_counterfactual": MONEY,
        "recent_trn_cost": MONEY,
        "recent_overhead": MONEY,
    },
    "forecast_paths": {
        "workload": "string",
        "date": "date",
        "low": MONEY,
        "median": MONEY,
        "high": MONEY,
    },
}
"""Published beside the marts so that a page can show how a number came about.

`portfolio_daily`: `savings_daily` summed over workloads and what names none, as one more curve.
`month_facts`: `monthly_summary` of every month as it is computed today, also where it was closed.
`settled_accounts`: how far each billing account's bill can be trusted, and the `closed` of the
config that its usage contradicts.
`snapshot`: one row, what this snapshot is. `queries`: the SQL of each mart. `baseline_parts`:
on the last settled day, the inputs of the repriced baseline per platform, instance type, region
and purchase option. `baseline_runs`, `baseline_hours`: the lineages and the hours that the baseline
of each month's last settled day stands on, and `epochs` in its unit; `kind_of_work` is null for
the workload's main kind. `further_baselines`: `baselines` of the further kinds of work (recipe,
samples per epoch) that a workload does on both.
`late_changes`: what AWS lately changed of settled months, by month and in all.
`price_changes`: changes of the GPU prices a workload's baseline stands on. `price_history`: every
public price of a known instance type, from when until when (exclusive; null: until today) it holds.
`committed_rates`: what an hour of a Savings Plan or a reservation costs, by plan, as last told.
`loss_curve`: loss against the dollars and instance-hours that the lineage had accrued by then.
`investments`: one row per configured or derived outlay (recurring upkeep summed by month).
`capacity_offers`: the Capacity Blocks that EC2 last had for sale, `fee` for the whole block.
`accelerator_days`, `run_parts`: `spend_daily` summed for pages that ask for all of it.
`counted_runs`: the rows of `runs` that a comparison may count.
`offered`: the zones that have an instance type, as EC2 last told.
`paces`: what `break_even` counts its runs to come and its upkeep by: production Trainium lineages
with a settled day, of those `recent_runs` with one in the last twelve settled weeks; and sums
of `savings_daily` over settled days, `recent_…` over those weeks; null where a day's is unknown.
`forecast_paths`: cumulative net at the end of each week to come, median and 80 % interval; week 0
is the last settled day, where only the baseline is uncertain.
"""

NUMBERS = frozenset(
    {
        "instance_hours",
        "accelerator_hours",
        "training_hours",
        "billed_hours",
        "warm_pool_hours",
        "epochs",
        "credited_epochs",
        "repeated_epochs",
        "gpu_epochs",
        "trn_epochs",
        "samples",
        "tokens",
        "samples_per_epoch",
        "epoch",
        "start_epoch",
        "progress",
        "roi",
        "ConsumedQuantity",
        "hours_per_epoch",
        "hours_so_far",
        "factor",
    }
)
"""DECIMAL columns that are counts or ratios, not dollars: exported as numbers."""


CONFIG: Mapping[str, Mapping[str, str]] = {
    "config_runs": {
        "run": "string",
        "workload": "string",
        "resumed_from": "string",
        "recipe": "string",
        "purpose": "string",
        "start_epoch": NUMBER,
    },
    "config_workloads": {
        "workload": "string",
        "target_loss": "float64",
        "require_verified": "boolean",
        "fixed_cost_per_epoch": MONEY,
    },
    "config_investments": {
        "date": "date",
        "workload": "string",
        "kind": "string",
        "amount": MONEY,
        "amount_per_month": MONEY,
    },
    "config_accounts": {"account": "string", "closed": "date"},
}
"""What the config says, as tables."""

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
    "catalog": {
        "instance_type": "string",
        "platform": "string",
        "hardware": "string",
        "accelerators": "int64",
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
    "untold": {"run": "string", "billing_account": "string", "billing_period": "string"},
    "bill_totals": {
        "month": "string",
        "billing_account": "string",
        "account": "string",
        "basis": "string",
        "total": MONEY,
        "source": "string",
        "rank": "int64",
    },
    "delivered": {
        "source": "string",
        "account": "string",
        "day": "date",
        "pulled_at": "timestamp",
    },
    "requested": {"source": "string", "account": "string", "dollars": MONEY},
    "feeds": {
        "source": "string",
        "last_attempt": "timestamp",
        "last_success": "timestamp",
        "last_error": "string",
        "fresh_until": "timestamp",
        "stale": "boolean",
        "why": "string",
    },
    "restated": {
        name: dtype for name, dtype in MARTS["restatements"].items() if not name.endswith("_change")
    },
    "closed_months": dict(MARTS["monthly_summary"]),
    "recognised": {
        "month": "string",
        "workload": "string",
        "net_saving": MONEY,
        "investment": MONEY,
    },
    "noticed": {"source": "string", "notice": "string"},
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
"""What the build lays beside the delivered rows: the catalogue, lineages, totals, news,
forecasts.

`known_blocks`: the Capacity Blocks of the config and those EC2 told of, each once, an extension as
one of its own; `fee` is the config's (`exact`: EC2's, for an extension), `purchase` the block's id
and `bought` the day of purchase, both EC2's.

`block_fees`: what of a day's Capacity Block fees (or refunds) is which block's; the columns after
`block` name the fee. `gross_bills`: billing account × month whose figures are gross of discounts.
`closed_months`: the rows of the newest version of each closed month. `recognised`: net saving and
investment that finance was told of a closed month, adjustments of later closes included; null
where it was told that they are unknown.
`delivered_months`: the newest month that was delivered for a billing account alone, empty or not.
`member_bills`: accounts that another one pays for, and whose own Cost Explorer told the bill.
`untold`: runs whose tag stands on charges that Cost Explorer cannot tell as theirs, by month.
"""


def with_tags(columns: Mapping[str, str], extra: Iterable[str]) -> sch.Schema:
    """`expanded` as Ibis knows it."""
    return ibis.schema(expanded(columns, extra))


def expanded(columns: Mapping[str, str], extra: Iterable[str]) -> dict[str, str]:
    """`columns` with one `tag_<key>` per configured extra tag in the place of `TAGS`."""
    found: dict[str, str] = {}
    for name, dtype in columns.items():
        if name == TAGS:
            found |= {f"tag_{key}": dtype for key in extra}
        else:
            found[name] = dtype
    return found
