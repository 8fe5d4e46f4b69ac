"""What the texts of a usage say: how it is metered, on which accelerator, and what it is for.

Grain: usage type × description × instance type × unit as billed, each once: a bill says few things
many times. `instance_type` is the billed one (`ml.` kept). `timed`: the quantity is time of an
instance, `to_the_hour` of its units an hour; null where the unit is none of time.
`stores` and `carries` tell storage and network by their words; `repeats` marks rows of container
pods, which repeat what their instance costs, and `hosts` the hours that they repeat (METHOD §2.9).
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.joins import left_join
from models.formats.bill.focus import INSTANCE_HOURS, PODS

SAID = ("sku", "described", "sku_instance_type", "unit")
HOUR_KINDS = (
    "BoxUsage", "SpotUsage", "DedicatedUsage", "HostBoxUsage", "UnusedBox", "UnusedDed",
    "Train", "Cluster", "ReservedCluster",
)  # fmt: skip
FEE_KINDS = ("CapacityBlockFee", "HeavyUsage")
"""Fees of a block and of a reservation, which name the instance type and no hours."""
KIND = r"^(?:[A-Z]{2,}[A-Z0-9]*-)?([A-Za-z]+):"
"""A usage type: an optional region prefix, a kind, a colon, a type (AWS.md §1.8)."""
INSTANCE = r"\b(?:ml\.)?(?:p[0-9]|trn[0-9]|inf[0-9]|g[0-9])[a-z0-9-]*\.[a-z0-9-]+"
ANY_INSTANCE = r":((?:ml\.)?[a-z][a-z0-9-]*\.[a-z0-9-]+)"
TO_THE_HOUR = {
    r"^(instance[- ])?(hrs?|hours?)$": 1,
    r"^(m|mins?|minutes?)$": 60,
    r"^(s|secs?|seconds?)$": 3600,
}
STORAGE = r"EBS:|Volume|Snapshot|TimedStorage|FSx|Storage"
NETWORK = r"DataTransfer|Bytes|NatGateway|VpcEndpoint|LoadBalancer|LCUUsage"


def usages(spend_reduced: ir.Table, catalog: ir.Table) -> ir.Table:
    """The texts (`SAID`), `kind`, `instance_type` and its `catalog` entry, `timed` and the rest."""
    said = spend_reduced.group_by(SAID).agg(lines=spend_reduced.count()).drop("lines")
    sku = said.sku.fill_null("")
    kind = sku.re_extract(KIND, 1).nullif("")
    billed = ibis.coalesce(
        sku.re_extract(INSTANCE, 0).nullif(""),
        sku.re_extract(ANY_INSTANCE, 1).nullif(""),
        said.sku_instance_type,
        said.described.re_extract(INSTANCE, 0).nullif(""),
    )
    each = _to_the_hour(said.unit)
    told = said.unit.notnull() & each.notnull()
    timed = kind.isin(HOUR_KINDS) | (kind.isnull() & billed.notnull() & told)
    words = ibis.coalesce(said.sku, said.described)
    read = said.mutate(
        kind=kind,
        instance_type=ibis.ifelse(
            kind.isnull() | kind.isin((*HOUR_KINDS, *FEE_KINDS)), billed, None
        ),
        timed=timed.fill_null(False),
        to_the_hour=each,
        stores=words.re_search(STORAGE),
        carries=words.re_search(NETWORK),
        repeats=sku.re_search(PODS),
        hosts=sku.re_search(INSTANCE_HOURS),
    )
    known = left_join(read, types(catalog), ["instance_type"])
    return known.mutate(accelerated=known.timed & known.hardware.isin(("trainium", "gpu")))


def types(catalog: ir.Table) -> ir.Table:
    """The catalogue by instance type, as EC2 and as SageMaker call it."""
    managed = catalog.mutate(instance_type=ibis.literal("ml.") + catalog.instance_type)
    return catalog.union(managed)


def _to_the_hour(unit: ir.StringValue) -> ir.Value:
    """Units in an hour; a usage type of hours without a unit counts them."""
    told = unit.fill_null("Hours").lower()
    return ibis.cases(*((told.re_search(words), each) for words, each in TO_THE_HOUR.items()))
