"""Every reduced charge with its meaning: what ran, how it was bought, and whose it is.

Grain: that of `spend_reduced`; no charge is added or lost: every sum is the bill's. `attribution`
is the first of METHOD §2.6 that holds; `shared` and `overhead` are told apart later, where the
runs of the day are known. `unpriced` marks accelerator hours at $0 without a commitment, which is
how Capacity Block usage is billed: their cost is unknown here, never zero (METHOD §2.5, §2.7).
Rows of container pods repeat what their instance costs and are no charges; an instance that they
divide stands here in their parts, which `hosted` made of it (METHOD §2.9).
"""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.formats.focus import PODS
from models.marts.hosted import divisible, owned
from models.settings import Settings

HOUR_KINDS = (
    "BoxUsage", "SpotUsage", "DedicatedUsage", "HostBoxUsage", "UnusedBox", "UnusedDed",
    "Train", "Cluster", "ReservedCluster",
)  # fmt: skip
FEE_KINDS = ("CapacityBlockFee", "HeavyUsage")
"""Fees of a block and of a reservation, which name the instance type and no hours."""
KIND = r"^(?:[A-Z]{2,}[A-Z0-9]*-)?([A-Za-z]+):"
"""A usage type: an optional region prefix, a kind, a colon, a type (AWS.md §1.8)."""
INSTANCE = r"\b((?:ml\.)?(?:p[0-9]|trn[0-9]|inf[0-9]|g[0-9])[a-z0-9-]*\.[a-z0-9-]+)"
ANY_INSTANCE = r":((?:ml\.)?[a-z][a-z0-9-]*\.[a-z0-9-]+)"
STORAGE = r"EBS:|Volume|Snapshot|TimedStorage|FSx|Storage"
NETWORK = r"DataTransfer|Bytes|NatGateway|VpcEndpoint|LoadBalancer|LCUUsage"
READ = (
    "bare_type", "timed", "kind", "accelerators", "stores", "carries", "repeats", "sku",
    "sku_instance_type", "described", "unit", "provider", "service", "service_category",
    "category", "class", "pricing_category", "commitment_status", "reservation_status", "invoiced",
)  # fmt: skip
"""Read here to their end: nothing later asks for them."""
SAID = ("sku", "described", "sku_instance_type", "unit")
WHOLE = ("billing_account", "account", "region", "date", "host", "workload", "sku")
"""What tells an instance's charges that pods divide."""


def attributed(
    spend_reduced: ir.Table,
    catalog: ir.Table,
    run_workloads: ir.Table,
    hosted: ir.Table,
    settled_accounts: ir.Table,
    settings: Settings,
) -> ir.Table:
    """Rows of `spend_reduced` plus instance, hardware, component, option, owner and state."""
    used = _usage(owned(_divided(spend_reduced, hosted), run_workloads))
    used = used.filter(~used.repeats)
    known = used.left_join(catalog, used.bare_type == catalog.instance_type).select(
        used, catalog.platform, catalog.hardware, catalog.accelerators
    )
    rows = known.mutate(accelerated=known.hardware.isin(("trainium", "gpu")) & known.timed)
    rows = rows.mutate(
        component=_component(rows),
        purchase_option=_option(rows),
        instance_hours=ibis.ifelse(rows.timed, rows.quantity, None),
        accelerator_hours=ibis.ifelse(rows.accelerated, rows.quantity * rows.accelerators, None),
        unpriced=_unpriced(rows),
        attribution=_bucket(rows),
    )
    rows = rows.mutate(
        purchase_option=ibis.ifelse(rows.unpriced, "capacity_block", rows.purchase_option)
    )
    return _dated(rows, settled_accounts).drop(*READ)


def _divided(reduced: ir.Table, hosted: ir.Table) -> ir.Table:
    """The reduced rows, those that pods divide in their parts."""
    whole = hosted.select(**{f"{name}_whole": hosted[name] for name in WHOLE}).distinct()
    same = [reduced[name].identical_to(whole[f"{name}_whole"]) for name in WHOLE]
    joined = reduced.left_join(whole, same)
    divided = joined.sku_whole.notnull() & divisible(joined)
    rest = joined.filter(~divided).select(reduced.columns)
    return rest.union(hosted.drop("workload").rename(workload="owner").select(reduced.columns))


def _usage(rows: ir.Table) -> ir.Table:
    """`kind`, `instance_type` as billed (`ml.` kept), `bare_type` as the catalogue knows it."""
    # a bill says few things many times: each is read once
    told = _read(rows.select(*SAID).distinct())
    read = told.select(
        *(told[name].name(f"{name}_said") for name in SAID),
        *(name for name in told.columns if name not in SAID),
    )
    same = [rows[name].identical_to(read[f"{name}_said"]) for name in SAID]
    joined = rows.left_join(read, same).drop(*(f"{name}_said" for name in SAID))
    undone = (joined.category == "Adjustment") & _names_a_charge(joined)
    charged = (joined.category == "Usage") | undone
    return joined.mutate(timed=joined.timed & charged.fill_null(False))


def _read(said: ir.Table) -> ir.Table:
    """What the texts of a usage say: its kind, its instance type, its component otherwise."""
    sku = said.sku.fill_null("")
    kind = sku.re_extract(KIND, 1).nullif("")
    described = said.described.fill_null("").re_extract(INSTANCE, 1).nullif("")
    billed = ibis.coalesce(
        sku.re_extract(INSTANCE, 1).nullif(""),
        sku.re_extract(ANY_INSTANCE, 1).nullif(""),
        said.sku_instance_type,
        described,
    )
    hourly = said.unit.fill_null("").lower().re_search(r"^(hrs|hours?|hr)$")
    timed = kind.isin(HOUR_KINDS) | (kind.isnull() & billed.notnull() & hourly)
    typed = ibis.ifelse(kind.isnull() | kind.isin((*HOUR_KINDS, *FEE_KINDS)), billed, None)
    words = ibis.coalesce(said.sku, said.described, "")
    return said.mutate(
        kind=kind,
        instance_type=typed,
        bare_type=typed.re_replace(r"^ml\.", ""),
        timed=timed.fill_null(False),
        stores=words.re_search(STORAGE),
        carries=words.re_search(NETWORK),
        repeats=sku.re_search(PODS),
    )


def _component(rows: ir.Table) -> ir.Value:
    return ibis.cases(
        (rows.accelerated, "accelerator"),
        (rows.stores | (rows.service_category == "Storage"), "storage"),
        (rows.carries | (rows.service_category == "Networking"), "network"),
        else_="other",
    )


def _option(rows: ir.Table) -> ir.Value:
    return ibis.cases(
        (rows.kind == "CapacityBlockFee", "capacity_block"),
        ((rows.kind == "SpotUsage") | (rows.pricing_category == "Dynamic"), "spot"),
        (rows.commitment.notnull() | (rows.pricing_category == "Committed"), "committed"),
        else_="on_demand",
    )


def _unpriced(rows: ir.Table) -> ir.BooleanValue:
    held_hours = rows.commitment.contains("capacity-reservation").fill_null(True)
    bought = held_hours & (rows.kind != "SpotUsage").fill_null(True)
    unbilled = rows.free & (rows.billed_cost == 0)
    held = rows.reservation_status.fill_null("") != "Unused"
    worked = (rows.quantity > 0).fill_null(False)
    return cast(ir.BooleanValue, rows.accelerated & unbilled & bought & held & worked)


def _bucket(rows: ir.Table) -> ir.Value:
    """METHOD §2.6, in its order; `shared` stands for overhead too until the runs are known."""
    ours = rows.provider.isnull() | rows.provider.re_search(r"^(AWS|Amazon)")
    block_fee = (rows.kind == "CapacityBlockFee").fill_null(False)
    lump = (rows["class"] == "Correction").fill_null(False) & ~rows.named
    adjusted = (rows.category == "Adjustment").fill_null(False) & ~_names_a_charge(rows)
    support = rows.service.fill_null("").re_search(r"^AWS ?(Premium ?)?Support")
    idle = (
        (rows.commitment_status == "Unused").fill_null(False)
        | (rows.reservation_status == "Unused").fill_null(False)
        | rows.kind.isin(("UnusedBox", "UnusedDed")).fill_null(False)
    )
    owned = rows.workload.notnull()
    return ibis.cases(
        (~ours, "other"),
        (rows.category == "Tax", "tax"),
        (support, "support"),
        (rows.category == "Credit", "credit"),
        ((lump | adjusted) & ~block_fee, "refund"),
        ((rows.category == "Purchase") | block_fee, "purchase"),
        (idle, "idle_commitment"),
        (rows.run.notnull() & owned, "direct"),
        (rows.run.isnull() & owned, "shared"),
        (rows.accelerated, "untagged"),
        else_="other",
    )


def _names_a_charge(rows: ir.Table) -> ir.BooleanValue:
    """Whether an adjustment says what it reverses: a resource, a reservation, a usage type."""
    told = ibis.coalesce(rows.sku, rows.reservation, rows.commitment).notnull()
    return cast(ir.BooleanValue, rows.named | told)


def _dated(rows: ir.Table, settled_accounts: ir.Table) -> ir.Table:
    """`settled` by account, `final` once every usage line of the account's month is invoiced."""
    usage = rows.category == "Usage"
    bill = rows.group_by("billing_period", "billing_account").agg(
        final=(rows.invoiced | ~usage).all() & usage.any()
    )
    joined = rows.left_join(
        settled_accounts.select("billing_account", "settled_through"),
        [rows.billing_account.identical_to(settled_accounts.billing_account)],
    ).drop("billing_account_right")
    joined = joined.mutate(settled=(joined.date <= joined.settled_through).fill_null(False)).drop(
        "settled_through"
    )
    return joined.left_join(
        bill,
        [
            joined.billing_account.identical_to(bill.billing_account),
            joined.billing_period == bill.billing_period,
        ],
    ).drop("billing_account_right", "billing_period_right")
