"""Columns of the marts about cost (METHOD §2)."""

from __future__ import annotations

from collections.abc import Mapping

from models.contract.schema.types import MONEY, NUMBER, REASONS, TAGS

SPEND_DAILY: Mapping[str, str] = {
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
}

TIE_OUT: Mapping[str, str] = {
    "month": "string",
    "billing_account": "string",
    "account": "string",
    "basis": "string",
    "direct": MONEY,
    "shared": MONEY,
    "cluster_idle": MONEY,
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
}

ACCELERATOR_DAYS: Mapping[str, str] = {
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
}
"""`spend_daily` summed for pages that show all accelerator-hours."""

RUN_PARTS: Mapping[str, str] = {
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
}
"""`spend_daily` summed by run, for pages that show every run."""

SETTLED_ACCOUNTS: Mapping[str, str] = {
    "billing_account": "string",
    "newest_day": "date",
    "settled_through": "date",
    "contradicted": "date",
    "newest_month": "string",
}
"""How far each billing account's bill can be trusted; `contradicted`: the usage after which the
config calls the account closed."""

COMMITTED_RATES: Mapping[str, str] = {
    "instance_type": "string",
    "region": "string",
    "plan": "string",
    "years": "int64",
    "usd_per_hour": MONEY,
    "observed_on": "date",
}
"""What an hour of a Savings Plan or a reservation costs, by plan, as last observed."""

CAPACITY_OFFERS: Mapping[str, str] = {
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
}
"""The Capacity Blocks that EC2 last had for sale; `fee` is for the whole block."""

OFFERED: Mapping[str, str] = {
    "account": "string",
    "region": "string",
    "zone": "string",
    "instance_type": "string",
    "observed_on": "date",
}
"""The zones that have an instance type, as EC2 last answered."""

PRICE_HISTORY: Mapping[str, str] = {
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
}
"""Every public price of a catalogued instance type, and from when until when (exclusive) it holds.

`until` is null where the price holds until today."""

POOLS: Mapping[str, str] = {
    "month": "string",
    "cluster": "string",
    "instance_type": "string",
    "platform": "string",
    "hardware": "string",
    "accelerator_hours": NUMBER,
    "held_hours": NUMBER,
    "unknown_hours": NUMBER,
    "idle_hours": NUMBER,
    "undelivered_hours": NUMBER,
    "idle_by_reason": REASONS,
    "cost": MONEY,
    "held_cost": MONEY,
    "unknown_cost": MONEY,
    "idle_cost": MONEY,
    "undelivered_cost": MONEY,
    "owners": REASONS,
    "settled": "boolean",
}
"""What each pool of shared machines had, who held it and what stood idle, by month."""

ALLOCATION_COVERAGE: Mapping[str, str] = {
    "month": "string",
    "cluster": "string",
    "accelerator_hours": NUMBER,
    "known_hours": NUMBER,
    "unknown_hours": NUMBER,
    "idle_hours": NUMBER,
    "undelivered_hours": NUMBER,
    "over_allocated_hours": NUMBER,
    "over_allocated_seconds": NUMBER,
    "daily_hours": NUMBER,
    "coverage": NUMBER,
    "days": "int64",
    "undelivered_days": "int64",
}
"""How much of a cluster's accelerator-hours known runs, unknown jobs and nobody held."""

POOL_USE: Mapping[str, str] = {
    "date": "date",
    "cluster": "string",
    "instance_type": "string",
    "platform": "string",
    "hardware": "string",
    "holding": "string",
    "workload": "string",
    "run": "string",
    "accelerator_hours": NUMBER,
    "cost": MONEY,
    "over_allocated": "boolean",
    "by_day": "boolean",
    "settled": "boolean",
    "delivered": "boolean",
    "awaited": "boolean",
}
"""Who held each pool by day, and what stood idle, for pages; `holding` is a reason where nobody."""

UNSETTLED_SPEND: Mapping[str, str] = {"date": "date", "waits_for": "string", "cost": MONEY}
"""Dollars that no figure has yet, by day and by what they wait for."""

OVER_ALLOCATED_PERIODS: Mapping[str, str] = {
    "date": "date",
    "cluster": "string",
    "machine": "string",
    "period_from": "timestamp",
    "period_to": "timestamp",
    "capacity_seconds": NUMBER,
    "over_seconds": NUMBER,
}
"""Periods of the bill in which jobs held more of a machine, or of a pool, than there was."""

MARTS: Mapping[str, Mapping[str, str]] = {
    "spend_daily": SPEND_DAILY,
    "pools": POOLS,
    "allocation_coverage": ALLOCATION_COVERAGE,
}
"""Published marts of this chapter, except `tie_out`, which `MARTS` of the package lists."""
