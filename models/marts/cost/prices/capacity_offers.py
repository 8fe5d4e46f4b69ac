"""Lists the Capacity Blocks that EC2 offers for sale."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import mart
from models.contract.money import money, ratio
from models.contract.schema import EXPLAINERS


@mart(
    grain="one row per block on offer, of the newest answer for each account and region",
    units="fee: dollars of the whole block; usd_per_hour: dollars of one instance-hour",
    nulls="usd_per_hour: the offer has no hours",
    method="§2.7",
    whose="company",
)
def capacity_offers(capacity: ir.Table) -> ir.Table:
    """Lists the Capacity Blocks that EC2 last offered for sale, with fee and hourly price.

    None where it was asked since and offered none.
    """
    answers = newest_answers(capacity, "offer")
    offers = answers.filter(answers.fee.notnull())
    offers = offers.mutate(
        fee=money(offers.fee), usd_per_hour=ratio(offers.fee, offers.instances * offers.hours)
    )
    return offers.select(*EXPLAINERS["capacity_offers"])


def newest_answers(capacity: ir.Table, kind: str) -> ir.Table:
    """Selects rows of a kind (`offer`, …) from EC2's newest response per account and region."""
    rows = capacity.filter(capacity.kind == kind)
    last = rows.said_at.max().over(ibis.window(group_by=["account", "region"]))
    return rows.mutate(last=last).filter(lambda row: row.said_at == row["last"])
