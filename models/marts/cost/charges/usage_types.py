"""Parses usage types: how a charge is metered, on which accelerator, and for what.

AWS names what was used in the usage type (FOCUS: SKU), such as `USE2-BoxUsage:trn1.32xlarge`: an
optional place, a kind, a colon, an instance type.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step
from models.contract.joins import left_join
from models.contract.rules.usage_type_patterns import INSTANCE_HOURS, POD

WORDS = ("sku", "described", "sku_instance_type", "unit")
"""The columns of a charge that say what was used."""
HOUR_KINDS = (
    "BoxUsage", "SpotUsage", "DedicatedUsage", "HostBoxUsage", "UnusedBox", "UnusedDed",
    "Train", "Cluster", "ReservedCluster",
)  # fmt: skip
FEE_KINDS = ("CapacityBlockFee", "HeavyUsage")
"""Fees of a block and of a reservation, which name the instance type and no hours."""
KIND = r"^(?:[A-Z]{2,}[A-Z0-9]*-)*([A-Za-z]+):"
"""After a region, there may be a zone (`USW2-LAX1-`) or a service (`APN1-EKS-Auto:`), whose fee for
each hour of an instance is none of the instance's own hours."""
INSTANCE = r"\b(?:ml\.)?(?:p[0-9]|trn[0-9]|inf[0-9]|g[0-9])[a-z0-9-]*\.[a-z0-9-]+"
ANY_INSTANCE = r":((?:ml\.)?[a-z][a-z0-9-]*\.[a-z0-9-]+)"
FAMILY_OF_PLAN = r"(?:^|-)EC2[A-Za-z]*SP:([a-z][a-z0-9-]*)\.[0-9]+yr"
"""The fee of a Savings Plan for one family of instances: `USE2-EC2SP:trn1.3yrNoUpfront`."""
TO_THE_HOUR = {
    r"^(instance[- ])?(hrs?|hours?)$": 1,
    r"^(m|mins?|minutes?)$": 60,
    r"^(s|secs?|seconds?)$": 3600,
}
STORAGE = r"EBS:|Volume|Snapshot|TimedStorage|FSx|Storage"
NETWORK = r"DataTransfer|Bytes|NatGateway|VpcEndpoint|LoadBalancer|LCUUsage"


@step(
    grain="usage type × description × instance type × unit as billed, each once",
    units="to_the_hour: units of the quantity in an hour",
    nulls="kind, instance_type: the usage type names none; platform, hardware, accelerators: not "
    "in the catalogue; to_the_hour: the unit is none of time",
    method="§1, §2.8, §2.9",
    whose="company",
)
def usage_types(spend_reduced: ir.Table, catalog: ir.Table) -> ir.Table:
    """Parses each usage type on the bill: instance type, accelerator, unit, storage or network.

    `instance_type` is the billed one, with SageMaker's `ml.`; of a plan for one family of
    instances it is the family. `timed` says that the quantity is time of an instance. `of_pod`
    marks rows of container pods, which repeat what their instance costs, and `hosts_pods` the hours
    that they repeat (METHOD §2.9).
    """
    used = spend_reduced.group_by(WORDS).agg(lines=spend_reduced.count()).drop("lines")
    sku = used.sku.fill_null("")
    kind = sku.re_extract(KIND, 1).nullif("")
    billed = ibis.coalesce(
        sku.re_extract(INSTANCE, 0).nullif(""),
        sku.re_extract(ANY_INSTANCE, 1).nullif(""),
        used.sku_instance_type,
        used.described.re_extract(INSTANCE, 0).nullif(""),
    )
    to_the_hour = units_to_the_hour(used.unit)
    by_time = used.unit.notnull() & to_the_hour.notnull()
    family = sku.re_extract(FAMILY_OF_PLAN, 1).nullif("")
    by_name = kind.isnull() & billed.notnull() & family.isnull()
    timed = kind.isin(HOUR_KINDS) | (by_name & by_time)
    of_instance = kind.isnull() | kind.isin((*HOUR_KINDS, *FEE_KINDS))
    words = ibis.coalesce(used.sku, used.described)
    read = used.mutate(
        kind=kind,
        instance_type=ibis.coalesce(family, ibis.ifelse(of_instance, billed, None)),
        timed=timed.fill_null(False),
        to_the_hour=to_the_hour,
        is_storage=words.re_search(STORAGE),
        is_network=words.re_search(NETWORK),
        of_pod=sku.re_search(POD),
        hosts_pods=sku.re_search(INSTANCE_HOURS),
    )
    found = left_join(read, instance_types(catalog), ["instance_type"])
    return found.mutate(accelerated=found.timed & found.hardware.isin(("trainium", "gpu")))


def instance_types(catalog: ir.Table) -> ir.Table:
    """Returns the instance catalogue under EC2's names and SageMaker's (`ml.`), and its families.

    A family, such as `trn1`, has instances of several sizes, so platform and hardware alone.
    """
    managed = catalog.mutate(instance_type=ibis.literal("ml.") + catalog.instance_type)
    platform, hardware = catalog.platform, catalog.hardware
    known = {"instance_type": platform, "platform": platform, "hardware": hardware}
    columns = catalog.schema().items()
    families = catalog.select(
        **{name: known.get(name, ibis.null(dtype)) for name, dtype in columns}
    )
    return catalog.union(managed).union(families.distinct())


def units_to_the_hour(unit: ir.StringValue) -> ir.Value:
    """Returns the column of how many of a unit make an hour: 1 without a unit, null if not time."""
    unit_name = unit.fill_null("Hours").lower()
    return ibis.cases(*((unit_name.re_search(words), each) for words, each in TO_THE_HOUR.items()))
