"""Decides the bucket of each charge (tax, support, credit, direct, shared, …; METHOD §2.6).

Every cent of the bill lands in exactly one of `BUCKETS`. The decision needs three looks: at the
words of the charge alone (`bucket_without_owner`), at its owner (`bucket`), and at the runs of its
day (`shared_or_overhead`). Example: a trn1 hour with the workload tag `atlas` and no run tag is
`shared`; on a day on which no run of `atlas` used trn1 it becomes `overhead`.
"""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.marts.cost.charges.refund_links import is_lump_sum

BUCKETS = (
    "tax", "support", "credit", "refund", "purchase", "idle_commitment", "direct", "shared",
    "cluster_idle", "overhead", "untagged", "other",
)  # fmt: skip
"""All buckets, in the order of METHOD §2.6.

Two are told before any owner is: charges of other providers are `other`, and time that no job held
of a shared machine is `cluster_idle` whatever workload its tag names (METHOD §2.10).
"""
OWNED = ("direct", "shared", "idle_commitment", "credit", "refund")
"""Buckets whose rows keep the workload of the charge; tax with a workload tag does not."""
IDLE_COMMITMENT = "idle_commitment"
"""The bucket of what nobody used of a commitment, and of a Capacity Block's hours."""
CLUSTER_IDLE = "cluster_idle"
"""The bucket of time of a running machine that no job held (METHOD §2.10)."""
HELD = ("held", "unknown")
"""What `holding` says of parts of shared machines that jobs held: of known owners, or of others."""
UNDELIVERED = "undelivered"
"""What `holding` says where a cluster's allocations of the day are not delivered: whether jobs held
it is unknown, so its own tags count."""
UNUSED_KINDS = ("UnusedBox", "UnusedDed")
"""Kinds of usage type for reserved capacity that nobody used."""
PLANS = "Premium|Developer|Business|Enterprise|Enterprise On-Ramp"
SUPPORT = rf"^AWS ?(({PLANS}) ?)?Support|^AWS ?(Enterprise ?On-?Ramp|Unified Operations)"


def bucket_without_owner(rows: ir.Table) -> ir.Value:
    """Returns the column of a charge's cost bucket where it needs no owner (tax, …), else null.

    Charges of providers other than AWS are `other` before anything else is asked. The fee of a
    Capacity Block is a `purchase` even where a correction takes it back.
    """
    block_fee = (rows.kind == "CapacityBlockFee").fill_null(False)
    unused = is_unused(rows) | rows.kind.isin(UNUSED_KINDS)
    return ibis.cases(
        (~_of_aws(rows), "other"),
        (rows.category == "Tax", "tax"),
        (is_support(rows), "support"),
        (rows.category == "Credit", "credit"),
        (is_lump_sum(rows) & ~block_fee, "refund"),
        ((rows.category == "Purchase") | block_fee, "purchase"),
        (unused, IDLE_COMMITMENT),
        (rows.holding.notnull() & ~rows.holding.isin((*HELD, UNDELIVERED)), CLUSTER_IDLE),
        else_=ibis.null("string"),
    )


def bucket(rows: ir.Table) -> ir.Value:
    """Returns the column of each charge's cost bucket: by kind (tax, …), else by owner (direct, …).

    `rows.bucket` is `bucket_without_owner`. `shared` includes `overhead` until the runs of the day
    are known.
    """
    of_owner = ibis.cases(
        (rows.run.notnull() & rows.workload.notnull(), "direct"),
        (rows.workload.notnull(), "shared"),
        (rows.accelerated, "untagged"),
        else_="other",
    )
    return ibis.coalesce(rows.bucket, of_owner)


def shared_or_overhead(run: ir.Value) -> ir.Value:
    """Returns a shared charge's bucket after its split: `overhead` without a run, else `shared`."""
    return ibis.ifelse(run.isnull(), "overhead", "shared")


def keeps_workload(rows: ir.Table) -> ir.BooleanValue:
    """Returns the condition that a charge's cost bucket counts as spend of its named workload."""
    return cast(ir.BooleanValue, rows.attribution.isin(OWNED))


def is_unused(rows: ir.Table) -> ir.BooleanValue:
    """Returns the condition that a charge is for unused hours of a commitment or a reservation."""
    statuses = (rows.commitment_status, rows.reservation_status)
    return cast(ir.BooleanValue, ibis.or_(*(status == "Unused" for status in statuses)))


def is_support(rows: ir.Table) -> ir.BooleanValue:
    """Returns the condition that a charge is for AWS Support."""
    return cast(ir.BooleanValue, rows.service.re_search(SUPPORT).fill_null(False))


def _of_aws(rows: ir.Table) -> ir.Value:
    by_aws = rows.provider.startswith("AWS") | rows.provider.startswith("Amazon")
    return rows.provider.isnull() | by_aws
