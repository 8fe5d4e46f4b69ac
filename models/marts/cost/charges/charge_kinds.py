"""What each charge is, whoever owns it: hours, hardware's work, component, option, bucket.

Grain: reduced charges of a delivery's day that are alike in all of that, so a bill's many usage
types are few rows; every sum is the bill's. It rests on a charge's own words alone, so a build
keeps it per delivery, as it keeps the reduction. `bucket` is the first of METHOD §2.6 that holds
without knowing an owner, else null. What a refund or a correction takes back stands apart from what
it takes back from (`charged`, `worked`: signs). `unpriced` marks accelerator hours at $0 without a
commitment, which is how Capacity Block usage is billed: their cost is unknown here, never zero
(METHOD §2.5, §2.7); `used_from` and `used_to` are theirs. `hosting` is the usage type of charges
that the pods on an instance may divide, and `host` their instance; rows of the pods themselves
repeat what their instance costs and are no charges (METHOD §2.9).
"""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.contract.joins import same_keys
from models.contract.money import ZERO, known_sum, ratio
from models.contract.schema import COST_COLUMNS, NUMBER
from models.marts.cost.charges.pod_shares import divisible
from models.marts.cost.charges.usage_types import SAID

SLOT = ("used_from", "used_to")
"""The hour of a line that a Capacity Block may cover."""
OWN = (
    "delivery", "billing_period", "billing_account", "account", "date", "region", "commitment",
    "reservation", "workload", "run",
)  # fmt: skip
"""Kept as billed; the delivery where the rows are the store's."""


def charge_kinds(spend_reduced: ir.Table, usages: ir.Table) -> ir.Table:
    """When, where and whose as billed, what it is, and the sums."""
    rows = _used(_without_unused(spend_reduced), usages)
    hours = _hours(rows)
    rows = rows.mutate(
        instance_hours=ibis.ifelse(rows.timed, hours, None),
        accelerator_hours=ibis.ifelse(rows.accelerated, hours * rows.accelerators, None),
        unpriced=_unpriced(rows),
        divided=rows.hosts & divisible(rows),
    )
    own = [name for name in rows.columns if name in OWN or name.startswith("tag_")]
    return rows.group_by(
        *own, "instance_type", "accelerated", "unpriced", component=_component(rows),
        purchase_option=_option(rows), bucket=_bucket(rows), charged=rows.billed_cost.sign(),
        worked=rows.quantity.sign(), host=ibis.ifelse(rows.divided, rows.host, None),
        hosting=ibis.ifelse(rows.divided, rows.sku, None),
        **{name: ibis.ifelse(rows.unpriced, rows[name], None) for name in SLOT},
    ).agg(
        instance_hours=rows.instance_hours.sum(),
        accelerator_hours=rows.accelerator_hours.sum(),
        **{name: known_sum(rows[name]) for name in COST_COLUMNS},
    )  # fmt: skip


def _without_unused(reduced: ir.Table) -> ir.Table:
    """With what nobody used of a commitment beside the purchase that told it (`formats.fees`)."""
    told = (reduced.category == "Purchase") & (reduced.commitment_status == "Unused")
    fee, rest = reduced.filter(told), reduced.filter(~told.fill_null(False))
    bought = fee.mutate(effective_cost=ZERO, commitment_status=ibis.null("string"))
    unused = fee.mutate(
        category=ibis.literal("Usage"), quantity=ibis.null(NUMBER),
        **dict.fromkeys(("list_cost", "contracted_cost", "billed_cost"), ZERO),
    )  # fmt: skip
    return rest.union(bought, unused)


def _used(rows: ir.Table, usages: ir.Table) -> ir.Table:
    """Beside its `usages` row; without what only repeats another charge."""
    read = usages.rename(**{f"{name}_said": name for name in SAID})
    joined = rows.join(read, same_keys(rows, read, SAID, "_said"))
    joined = joined.filter(~joined.repeats)
    undone = (joined.category == "Adjustment") & _names_a_charge(joined)
    charged = (joined.category == "Usage") | undone
    return joined.mutate(
        timed=joined.timed & charged, accelerated=(joined.accelerated & charged).fill_null(False)
    )


def _hours(rows: ir.Table) -> ir.Value:
    """What was used of time, in hours; in a unit that is none of time, unknown."""
    whole = rows.to_the_hour == 1
    return ibis.ifelse(whole, rows.quantity, ratio(rows.quantity, rows.to_the_hour))


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
    held = rows.reservation_status.fill_null("") != "Unused"
    worked = (rows.quantity > 0).fill_null(False)
    return cast(ir.BooleanValue, rows.accelerated & rows.free & bought & held & worked)


def _bucket(rows: ir.Table) -> ir.Value:
    """METHOD §2.6 in its order, as far as it asks for no owner."""
    ours = rows.provider.isnull() | rows.provider.startswith("AWS")
    ours = ours | rows.provider.startswith("Amazon")
    block_fee = (rows.kind == "CapacityBlockFee").fill_null(False)
    lump = (rows["class"] == "Correction") & ~rows.named
    adjusted = (rows.category == "Adjustment") & ~_names_a_charge(rows)
    idle = (
        (rows.commitment_status == "Unused")
        | (rows.reservation_status == "Unused")
        | rows.kind.isin(("UnusedBox", "UnusedDed"))
    )
    return ibis.cases(
        (~ours, "other"),
        (rows.category == "Tax", "tax"),
        (supports(rows), "support"),
        (rows.category == "Credit", "credit"),
        ((lump | adjusted) & ~block_fee, "refund"),
        ((rows.category == "Purchase") | block_fee, "purchase"),
        (idle, "idle_commitment"),
        else_=ibis.null("string"),
    )


def supports(rows: ir.Table) -> ir.BooleanValue:
    """Whether AWS charges it for its support."""
    named = rows.service.re_search(r"^AWS ?(Premium ?)?Support")
    return cast(ir.BooleanValue, named.fill_null(False))


def _names_a_charge(rows: ir.Table) -> ir.BooleanValue:
    """Whether an adjustment says what it reverses: a resource, a reservation, a usage type."""
    told = ibis.coalesce(rows.sku, rows.reservation, rows.commitment).notnull()
    return cast(ir.BooleanValue, rows.named | told)
