"""Computes the fraction of the cost of runs that AWS credits paid (METHOD §2.2).

Credits are in no run's cost, on either chip. A credit that names a workload counts whole; of any
other credit, runs get the part that they have of what AWS charged its payer for usage. Example: of
a payer's $400 of usage runs used $100; $40 of credits name no workload and $5 name that of the
runs: $15 of credits, 0.15 of the runs' $100.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.declaration import step
from models.contract.money import ZERO, known_sum, product, ratio, zero_if_null
from models.contract.portfolio import with_portfolio
from models.contract.rules.attribution_groups import BESIDE_USAGE
from models.contract.rules.known_cost import known_cost


@step(
    grain="month (billing period; null: in all) × workload, and `(portfolio)`",
    units="fraction of the cost of runs on `cost.basis`; credits and usage as billed",
    nulls="no runs, an unknown cost, usage of the payer that adds up to nothing, hidden credits",
    method="§2.2",
    whose="workload",
)
def credit_shares(spend_daily: ir.Table, hidden_credits: ir.Table, settings: Settings) -> ir.Table:
    """Computes by workload what fraction of runs' cost AWS credits paid, per month and in all."""
    rows = spend_daily.select(
        "workload", "run", "attribution", "billed_cost",
        month="billing_period",
        payer=ibis.coalesce(spend_daily.billing_account, ""),
        cost=known_cost(spend_daily, settings.cost.basis),
    )  # fmt: skip
    unknown = hidden_credits.select("month", "workload", given=ibis.null(ZERO.type()), cost=ZERO)
    parts = _of_runs(rows).union(_named(rows)).union(unknown)
    every = parts.union(parts.mutate(month=ibis.null("string")))
    sums = every.group_by("month", "workload").agg(
        given=known_sum(every.given), cost=known_sum(every.cost)
    )
    return sums.select("month", "workload", credit_share=ratio(-sums.given, sums.cost))


def _of_runs(rows: ir.Table) -> ir.Table:
    """Sums runs' cost by month, payer, workload; adds their part of credits without a workload."""
    owned = with_portfolio(rows.filter(rows.run.notnull()))
    runs = owned.group_by("month", "payer", "workload").agg(
        cost=known_sum(owned.cost), billed=known_sum(owned.billed_cost)
    )
    usage, unnamed = ~rows.attribution.isin(BESIDE_USAGE), _credits(rows) & rows.workload.isnull()
    payers = rows.group_by("month", "payer").agg(
        usage=known_sum(rows.billed_cost, where=usage),
        credits=zero_if_null(rows.billed_cost.sum(where=unnamed)),
    )
    each = runs.join(payers, ["month", "payer"])
    part = ratio(product(each.credits, each.billed), each.usage)
    return each.select(
        "month", "workload", given=ibis.ifelse(each.credits == 0, ZERO, part), cost="cost"
    )


def _named(rows: ir.Table) -> ir.Table:
    """Returns the credits that name a workload by month, for the workload and for the portfolio."""
    mine = with_portfolio(rows.filter(_credits(rows) & rows.workload.notnull()))
    return mine.select("month", "workload", given=mine.billed_cost.cast(ZERO.type()), cost=ZERO)


def _credits(rows: ir.Table) -> ir.BooleanValue:
    return rows.attribution == "credit"
