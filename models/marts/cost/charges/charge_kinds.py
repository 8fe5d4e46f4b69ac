"""Classifies each charge, regardless of owner: component, purchase option, hours and bucket.

It rests on the words of a charge and the catalogue alone, so a build keeps its rows per delivery,
as it keeps the reduction. A bill's many usage types become few rows, and every sum is the bill's.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step
from models.contract.joins import same_keys
from models.contract.money import ZERO, cost_sums, ratio
from models.contract.rules.usage_type_patterns import FEES_BY_INSTANCE
from models.contract.schema import NUMBER
from models.marts.cost.attribution_buckets import bucket_without_owner, is_unused
from models.marts.cost.charges.components import component, purchase_option
from models.marts.cost.charges.missing_prices import is_unpriced
from models.marts.cost.charges.refund_links import USED, adjusts_a_charge
from models.marts.cost.charges.usage_types import WORDS

HOUR_COLUMNS = ("used_from", "used_to")
"""The hour of a line that a Capacity Block may cover; null on all other rows."""
OWN = (
    "delivery", "billing_period", "billing_account", "account", "date", "region", "commitment",
    "reservation", "workload", "run", "instance_workload", "cluster", "holding", "allocation_flags",
)  # fmt: skip
"""Columns kept as billed, where there are: `delivery` in the kept store, `instance_workload` on
shares of pods."""


@step(
    grain="charges of one day with equal time, place, commitment, owner as billed, instance "
    "type, component, purchase option, bucket and sign of cost and quantity",
    units="dollars on the four bases; instance and accelerator hours",
    nulls="bucket: it depends on the owner; hours: not time of an instance, or of a unit that is "
    "none of time; used_from, used_to: not unpriced; first_hour, last_hour: not of accelerators, "
    "or a bill by day; host, hosting: no charge that pods divide",
    method="§2.5, §2.6, §2.8",
    whose="run",
)
def charge_kinds(spend_reduced: ir.Table, usage_types: ir.Table) -> ir.Table:
    """Classifies the bill's charges (component, cost bucket, purchase option) and sums equal ones.

    Amounts of different sign are summed apart (`cost_sign`, `quantity_sign`), so that a refund
    never hides in the charge that it takes back. `unpriced` marks accelerator hours whose cost is
    unknown here. `hosting` is the usage type of charges that the pods on an instance may divide,
    `host` their instance. Rows of the pods themselves repeat what their instance costs and are left
    out (METHOD §2.9).
    """
    rows = _with_usage(_with_unused_part(spend_reduced), usage_types)
    hours = _hours(rows)
    rows = rows.mutate(
        instance_hours=ibis.ifelse(rows.timed, hours, None),
        accelerator_hours=ibis.ifelse(rows.accelerated, hours * rows.accelerators, None),
        unpriced=is_unpriced(rows),
        divided=rows.hosts_pods & is_divisible(rows),
    )
    own = [name for name in rows.columns if name in OWN or name.startswith("tag_")]
    return rows.group_by(
        *own, "instance_type", "accelerated", "unpriced", component=component(rows),
        purchase_option=purchase_option(rows), bucket=bucket_without_owner(rows),
        cost_sign=rows.billed_cost.sign(), quantity_sign=rows.quantity.sign(),
        host=ibis.ifelse(rows.divided, rows.host, None),
        hosting=ibis.ifelse(rows.divided, rows.sku, None),
        **{name: ibis.ifelse(rows.unpriced, rows[name], None) for name in HOUR_COLUMNS},
    ).agg(
        instance_hours=rows.instance_hours.sum(),
        accelerator_hours=rows.accelerator_hours.sum(),
        first_hour=rows.first_hour.min(where=rows.accelerated),
        last_hour=rows.last_hour.max(where=rows.accelerated),
        **cost_sums(rows),
    )  # fmt: skip


def is_divisible(rows: ir.Table) -> ir.Value:
    """Returns the condition that pods may share a charge: usage or its refund, not idle hours."""
    return rows.category.isin(USED) & ~is_unused(rows).fill_null(False)


def _with_unused_part(reduced: ir.Table) -> ir.Table:
    """Splits rows that are both a commitment's fee and its unused part into two rows.

    The purchase keeps the billed cost; a usage row beside it gets the effective cost as unused.
    """
    both = (reduced.category == "Purchase") & (reduced.commitment_status == "Unused")
    fee, rest = reduced.filter(both), reduced.filter(~both.fill_null(False))
    bought = fee.mutate(effective_cost=ZERO, commitment_status=ibis.null("string"))
    unused = fee.mutate(
        category=ibis.literal("Usage"), quantity=ibis.null(NUMBER),
        **dict.fromkeys(("list_cost", "contracted_cost", "billed_cost"), ZERO),
    )  # fmt: skip
    return rest.union(bought, unused)


def _with_usage(rows: ir.Table, usage_types: ir.Table) -> ir.Table:
    """Adds what each usage type means, and drops pod rows, which repeat their instance."""
    meaning = usage_types.rename(**{f"{name}_of": name for name in WORDS})
    joined = rows.join(meaning, same_keys(rows, meaning, WORDS, "_of"))
    joined = joined.filter(~joined.of_pod)
    undone = (joined.category == "Adjustment") & adjusts_a_charge(joined)
    fee = joined.service.re_search(FEES_BY_INSTANCE).fill_null(False)
    charged = ((joined.category == "Usage") | undone) & ~fee
    return joined.mutate(
        timed=joined.timed & charged, accelerated=(joined.accelerated & charged).fill_null(False)
    )


def _hours(rows: ir.Table) -> ir.Value:
    """Converts a billed quantity to hours; null if its unit is not a unit of time."""
    whole = rows.to_the_hour == 1
    return ibis.ifelse(whole, rows.quantity, ratio(rows.quantity, rows.to_the_hour))
