"""Compares the sum of all cost buckets with the bill's total (METHOD §7.2, tie-out).

`remainder` = `bill_total` + `block_spread` − the buckets. It is shown, never hidden. Amounts that
an invoice or Cost Explorer reports and the bill lacks are in it whole, so a missing export shows.
Example: invoice $1,000, buckets $940 in all: remainder $60.

An invoice covers an account and the accounts it pays for that have no invoice of their own. These
keep their own totals, and the invoiced account's row gets the rest of its invoice. So all rows
together add up to the invoice, and what they lack is the remainder of that one row.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import mart
from models.contract.joins import same_keys
from models.contract.money import ZERO, zero_if_null
from models.contract.schema import MARTS, MONEY
from models.marts.cost.attribution_buckets import BUCKETS

KEYS = ["month", "billing_account", "account"]
GRAIN = [*KEYS, "basis"]


@mart(
    grain="month (billing period) × billing_account × account × basis (`billed`, `effective`)",
    units="dollars on the row's basis",
    nulls="account: the bill names none; no amount is null",
    method="§7.2",
    whose="company",
)
def tie_out(spend_daily: ir.Table, committed: ir.Table, bill_totals: ir.Table) -> ir.Table:
    """Compares the sum of all cost buckets with the best known bill total, per month and account.

    `bill_total` is the invoice in the config (billed only), else Cost Explorer where it is not the
    source itself, else the bare sum of the export's own lines (`total_source` is then
    `self_check`). On effective rows, `bridge` is effective less billed cost: what amortisation adds
    less what prepayment takes out. `block_spread` is the part of it that the bill itself does not
    amortise: what spreading Capacity Block fees added to the month less what it took out.
    """
    spent = _spent(spend_daily)
    effective = _buckets(spent, "effective")
    billed = _buckets(spent, "billed")
    bridge = _bridge(spent)
    best = bill_totals.group_by(GRAIN).agg(
        bill_total=bill_totals.total.argmin(bill_totals["rank"]),
        total_source=bill_totals.source.argmin(bill_totals["rank"]),
    )
    best = _after_members(best)
    rows = effective.union(billed)
    rows = rows.union(_unbilled(rows, best).select(rows.columns))
    rows = rows.left_join(bridge, same_keys(rows, bridge, KEYS)).select(rows, "bridged")
    spread = _spread(committed)
    rows = rows.left_join(spread, same_keys(rows, spread, KEYS)).select(rows, "spread")
    rows = rows.left_join(best, same_keys(rows, best, GRAIN)).select(
        rows, "bill_total", "total_source"
    )
    held = sum((rows[name] for name in BUCKETS), start=ZERO)
    on_effective = rows.basis == "effective"
    rows = rows.mutate(
        bridge=ibis.ifelse(on_effective, zero_if_null(rows.bridged), ZERO),
        block_spread=ibis.ifelse(on_effective, zero_if_null(rows.spread), ZERO),
        # an account that only a block's hours put into the month: the bill has no line of it
        bill_total=zero_if_null(rows.bill_total),
        total_source=rows.total_source.fill_null("self_check"),
    )
    return rows.mutate(remainder=rows.bill_total + rows.block_spread - held).select(
        *MARTS["tie_out"]
    )


def _after_members(best: ir.Table) -> ir.Table:
    """Subtracts from a payer's invoice the totals of members that have no invoice."""
    payer = ["month", "billing_account", "basis"]
    paid = best.filter(best.total_source != "invoice")
    members = paid.group_by(payer).agg(others=paid.bill_total.sum())
    rows = best.left_join(members, same_keys(best, members, payer)).select(best, "others")
    invoiced = (rows.total_source == "invoice") & (rows.account == rows.billing_account)
    left = rows.bill_total - zero_if_null(rows.others)
    return rows.mutate(bill_total=ibis.ifelse(invoiced, left, rows.bill_total)).drop("others")


def _spent(spend_daily: ir.Table) -> ir.Table:
    """Sums daily spend by month, account and bucket, effective and billed."""
    rows = spend_daily.mutate(month=spend_daily.billing_period)
    costs = {name: rows[name].sum() for name in ("effective_cost", "billed_cost")}
    return rows.group_by(*KEYS, "attribution").agg(**costs)


def _buckets(rows: ir.Table, basis: str) -> ir.Table:
    """Pivots monthly spend to one column per bucket, on one cost basis."""
    cost = rows[f"{basis}_cost"]
    sums = {
        name: ibis.coalesce(cost.sum(where=rows.attribution == name), ZERO).cast(MONEY)
        for name in BUCKETS
    }
    return rows.group_by(KEYS).agg(**sums).mutate(basis=ibis.literal(basis))


def _unbilled(rows: ir.Table, best: ir.Table) -> ir.Table:
    """Returns $0 rows for totals from outside the bill for which the bill has no spend."""
    independent = best.filter(best.total_source != "self_check")
    lost = independent.anti_join(rows, same_keys(independent, rows, GRAIN))
    return lost.select(*GRAIN, **dict.fromkeys(BUCKETS, ZERO))


def _bridge(rows: ir.Table) -> ir.Table:
    """Returns effective cost minus billed cost per month and account."""
    both = rows.group_by(KEYS).agg(
        effective=ibis.coalesce(rows.effective_cost.sum(), ZERO), billed=rows.billed_cost.sum()
    )
    return both.select(*KEYS, bridged=both.effective - both.billed)


def _spread(committed: ir.Table) -> ir.Table:
    """Sums what Capacity Block fees moved into or out of each month and account."""
    sums = committed.group_by("billing_period", "billing_account", "account").agg(
        spread=committed.spread.sum()
    )
    return sums.mutate(month=sums.billing_period.strftime("%Y-%m"))
