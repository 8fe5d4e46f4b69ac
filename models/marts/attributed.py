"""The bill with its meaning: what ran, how it was bought, and whose it is.

Grain: reduced charges of a day that mean the same, so a run's many usage types are few rows; no
charge is added or lost: every sum is the bill's. What a refund or a correction takes back stands
apart from what it takes back from. `attribution` is the first of METHOD §2.6 that holds; `shared`
and `overhead` are told apart later, where the runs of the day are known. `unpriced` marks
accelerator hours at $0 without a commitment, which is how Capacity Block usage is billed: their
cost is unknown here, never zero (METHOD §2.5, §2.7); `used_from` and `used_to` are theirs. Rows of
container pods repeat what their instance costs and are no charges; an instance that they divide
stands here in their parts, which `hosted` made of it (METHOD §2.9).
"""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.joins import alike, beside
from models.marts.hosted import divisible, owned
from models.marts.usages import SAID
from models.money import ZERO, known_sum, money
from models.schema import COST_COLUMNS, NUMBER
from models.settings import Settings

SLOT = ("used_from", "used_to")
"""The hour of a line that a Capacity Block may cover."""
WHOLE = ("billing_account", "account", "region", "date", "host", "workload", "sku")
"""What tells an instance's charges that pods divide."""


def attributed(
    spend_reduced: ir.Table,
    usages: ir.Table,
    run_workloads: ir.Table,
    hosted: ir.Table,
    settled_accounts: ir.Table,
    settings: Settings,
) -> ir.Table:
    """When and where, instance, hardware, component, option, owner, state, and the sums."""
    reduced = _without_unused(spend_reduced)
    rows = _used(owned(_divided(reduced, hosted), run_workloads), usages)
    rows = rows.mutate(
        instance_hours=ibis.ifelse(rows.timed, rows.quantity, None),
        accelerator_hours=ibis.ifelse(rows.accelerated, rows.quantity * rows.accelerators, None),
        unpriced=_unpriced(rows),
    )
    extra = [f"tag_{key}" for key in settings.tags.extra]
    sums = rows.group_by(
        "billing_period", "billing_account", "account", "date", "region", "commitment",
        "reservation", "workload", "run", *extra, "instance_type",
        "unpriced", component=_component(rows), purchase_option=_option(rows),
        attribution=_bucket(rows), charged=rows.billed_cost.sign(), worked=rows.quantity.sign(),
        **{name: ibis.ifelse(rows.unpriced, rows[name], None) for name in SLOT},
    ).agg(
        instance_hours=money(rows.instance_hours.sum()),
        accelerator_hours=money(rows.accelerator_hours.sum()),
        **{name: known_sum(rows[name]) for name in COST_COLUMNS},
    )  # fmt: skip
    kinds = usages.filter(usages.platform.notnull()).select("instance_type", "platform", "hardware")
    known = beside(sums.drop("charged", "worked"), kinds.distinct(), ["instance_type"])
    return _dated(known, spend_reduced, settled_accounts)


def _without_unused(reduced: ir.Table) -> ir.Table:
    """With what nobody used of a commitment beside the purchase that told it (`formats.fees`)."""
    told = (reduced.category == "Purchase") & (reduced.commitment_status == "Unused")
    fee = reduced.filter((told & (reduced.effective_cost != 0)).fill_null(False))
    rest = reduced.filter(~(told & (reduced.effective_cost != 0)).fill_null(False))
    bought = fee.mutate(effective_cost=ZERO, commitment_status=ibis.null("string"))
    unused = fee.mutate(
        category=ibis.literal("Usage"), quantity=ibis.null(NUMBER),
        **dict.fromkeys(("list_cost", "contracted_cost", "billed_cost"), ZERO),
    )  # fmt: skip
    return rest.union(bought, unused)


def _divided(reduced: ir.Table, hosted: ir.Table) -> ir.Table:
    """The reduced rows, those that pods divide in their parts."""
    whole = hosted.select(**{f"{name}_whole": hosted[name] for name in WHOLE}).distinct()
    joined = reduced.left_join(whole, alike(reduced, whole, WHOLE, "_whole"))
    divided = joined.sku_whole.notnull() & divisible(joined)
    rest = joined.filter(~divided).select(reduced.columns)
    return rest.union(hosted.drop("workload").rename(workload="owner").select(reduced.columns))


def _used(rows: ir.Table, usages: ir.Table) -> ir.Table:
    """Beside its `usages` row; without what only repeats another charge."""
    read = usages.rename(**{f"{name}_said": name for name in SAID})
    joined = rows.join(read, alike(rows, read, SAID, "_said"))
    joined = joined.filter(~joined.repeats)
    undone = (joined.category == "Adjustment") & _names_a_charge(joined)
    charged = (joined.category == "Usage") | undone
    return joined.mutate(
        timed=joined.timed & charged, accelerated=(joined.accelerated & charged).fill_null(False)
    )


def _component(rows: ir.Table) -> ir.Value:
    return ibis.cases(
        (rows.accelerated, "accelerator"),
        (rows.stores | (rows.service_category == "Storage"), "storage"),
        (rows.carries | (rows.service_category == "Networking"), "network"),
        else_="other",
    )


def _option(rows: ir.Table) -> ir.Value:
    block = rows.kind == "CapacityBlockFee"
    return ibis.cases(
        (rows.unpriced | block, "capacity_block"),
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
    ours = rows.provider.isnull() | rows.provider.startswith("AWS")
    ours = ours | rows.provider.startswith("Amazon")
    block_fee = (rows.kind == "CapacityBlockFee").fill_null(False)
    lump = (rows["class"] == "Correction") & ~rows.named
    adjusted = (rows.category == "Adjustment") & ~_names_a_charge(rows)
    support = rows.service.contains("Support") & rows.service.re_search(
        r"^AWS ?(Premium ?)?Support"
    )
    idle = (
        (rows.commitment_status == "Unused")
        | (rows.reservation_status == "Unused")
        | rows.kind.isin(("UnusedBox", "UnusedDed"))
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
        (owned, "shared"),
        (rows.accelerated, "untagged"),
        else_="other",
    )


def _names_a_charge(rows: ir.Table) -> ir.BooleanValue:
    """Whether an adjustment says what it reverses: a resource, a reservation, a usage type."""
    told = ibis.coalesce(rows.sku, rows.reservation, rows.commitment).notnull()
    return cast(ir.BooleanValue, rows.named | told)


def _dated(rows: ir.Table, reduced: ir.Table, settled_accounts: ir.Table) -> ir.Table:
    """`settled` by account, `final` once every usage line of the account's month is invoiced."""
    usage = reduced.category == "Usage"
    bill = reduced.group_by("billing_period", "billing_account").agg(
        final=(reduced.invoiced | ~usage).all() & usage.any()
    )
    joined = rows.left_join(
        settled_accounts.select("billing_account", "settled_through"),
        [rows.billing_account.identical_to(settled_accounts.billing_account)],
    ).drop("billing_account_right")
    joined = joined.mutate(settled=joined.date <= joined.settled_through).drop("settled_through")
    return joined.left_join(
        bill,
        [
            joined.billing_account.identical_to(bill.billing_account),
            joined.billing_period == bill.billing_period,
        ],
    ).drop("billing_account_right", "billing_period_right")
