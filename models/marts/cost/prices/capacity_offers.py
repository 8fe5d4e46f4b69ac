"""What EC2 would sell, as it was last told: Capacity Blocks, and the zones that have a type.

`capacity_offers`: one row per block on offer; `fee` is dollars for the whole block, `usd_per_hour`
for one of its instance-hours. `offered`: one row per account, zone and instance type. `observed_on`
is the day on which an answer was first given; nothing newer was said since. Source: `capacity`.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.money import money, ratio
from models.contract.schema import EXPLAINERS


def capacity_offers(capacity: ir.Table) -> ir.Table:
    """The newest answer of each account and region."""
    offers = _newest(capacity, "offer")
    offers = offers.mutate(
        fee=money(offers.fee), usd_per_hour=ratio(offers.fee, offers.instances * offers.hours)
    )
    return offers.select(*EXPLAINERS["capacity_offers"])


def offered(capacity: ir.Table) -> ir.Table:
    """The newest answer of each account and region."""
    return _newest(capacity, "zone").select(*EXPLAINERS["offered"])


def _newest(capacity: ir.Table, kind: str) -> ir.Table:
    rows = capacity.filter(capacity.kind == kind)
    last = rows.said_at.max().over(ibis.window(group_by=["account", "region"]))
    return rows.mutate(last=last).filter(lambda row: row.said_at == row["last"])
