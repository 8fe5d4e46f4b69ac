"""Sums the unused part of commitments, reservations and Capacity Blocks by settled day."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step
from models.contract.money import known_sum
from models.marts.cost.attribution_buckets import IDLE_COMMITMENT


@step(
    grain="date × commitment × payer × accelerated; settled days",
    units="dollars on the configured basis",
    nulls="commitment: the bill names none; since, newest: as commitment; cost: a price is missing",
    method="§2.6, §2.11",
    whose="company",
)
def idle_commitments(committed: ir.Table, settled_accounts: ir.Table) -> ir.Table:
    """Sums each commitment's idle cost by settled day, with the days of first and newest charge.

    Hours that a capacity reservation kept idle are counted under the reservation, even where a
    Savings Plan paid for them, and those of a Capacity Block under the block. `accelerated` says
    that the commitment is for accelerators by its own name. It is also true where the bill names
    neither its purpose nor its id, as in Cost Explorer, because that claims less saving. `since`
    and `newest` are the days of its first and newest charge, used or not; `until` is the last
    settled day of the account that pays for it.
    """
    rows = committed.mutate(name=_name(committed))
    idle = rows.filter((rows.attribution == IDLE_COMMITMENT) & rows.settled)
    known = idle.hardware.isin(("trainium", "gpu"))
    idle = idle.mutate(
        accelerated=known | (idle.name.isnull() & idle.instance_type.isnull()),
    )
    days = idle.group_by("date", "accelerated", commitment="name", payer="billing_account").agg(
        cost=known_sum(idle.cost)
    )
    billed = _billed(committed)
    days = days.left_join(billed, days.commitment == billed.named).drop("named")
    payers = settled_accounts.select(of="billing_account", until="settled_through")
    days = days.join(payers, days.payer.identical_to(payers.of)).drop("of")
    return days.mutate(month=days.date.truncate("M"))


def _name(rows: ir.Table) -> ir.Value:
    """Returns the column of the id of the reservation or commitment that was idle."""
    held = ibis.ifelse(rows.purchase_option == "capacity_block", None, rows.reservation)
    return ibis.coalesce(held, rows.commitment, rows.reservation)


def _billed(committed: ir.Table) -> ir.Table:
    """Returns the days of each commitment's and reservation's first and newest charge."""
    plans = committed.select("date", named="commitment")
    held = committed.select("date", named="reservation")
    both = plans.union(held)
    return both.group_by("named").agg(since=both.date.min(), newest=both.date.max())
