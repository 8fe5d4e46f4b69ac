"""What nobody used of a commitment, a reservation or a Capacity Block, by settled day.

Grain: date × commitment (null: the bill names none) × payer, dollars on the configured basis.
Hours that a capacity reservation kept idle are the reservation's, also where a Savings Plan paid
for them: they fall on the runs that it covered, and where it covered none stay with the portfolio,
whatever the plan covered besides (METHOD §6). A block's are the block's.
`accelerated`: it is for accelerators by its own name; or the bill says neither what it is for nor
its id (Cost Explorer does not), and the reading that claims less saving holds. `since` and `newest`
are the days of the commitment's first and newest charge, used or not; `until` is the last settled
day of the account that pays for it.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir


def idle_commitments(committed: ir.Table, settled_accounts: ir.Table) -> ir.Table:
    """`date`, `month`, `commitment`, `accelerated`, `payer`, `cost`, `since`, `newest`, `until`."""
    rows = committed.mutate(name=_name(committed))
    idle = rows.filter((rows.attribution == "idle_commitment") & rows.settled)
    known = idle.hardware.isin(("trainium", "gpu"))
    idle = idle.mutate(
        accelerated=known | (idle.name.isnull() & idle.instance_type.isnull()),
    )
    days = idle.group_by("date", "accelerated", commitment="name", payer="billing_account").agg(
        cost=idle.cost.sum()
    )
    billed = _billed(committed)
    days = days.left_join(billed, days.commitment == billed.named).drop("named")
    payers = settled_accounts.select(of="billing_account", until="settled_through")
    days = days.join(payers, days.payer.identical_to(payers.of)).drop("of")
    return days.mutate(month=days.date.truncate("M"))


def _name(rows: ir.Table) -> ir.Value:
    """Whose idle it would be; a row that names a reservation is of its hours."""
    held = ibis.ifelse(rows.purchase_option == "capacity_block", None, rows.reservation)
    return ibis.coalesce(held, rows.commitment, rows.reservation)


def _billed(committed: ir.Table) -> ir.Table:
    """The first and the newest charge of each commitment and reservation."""
    plans = committed.select("date", named="commitment")
    held = committed.select("date", named="reservation")
    both = plans.union(held)
    return both.group_by("named").agg(since=both.date.min(), newest=both.date.max())
