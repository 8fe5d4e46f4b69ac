"""Computes how long a migration took, from first investment to cutover (METHOD §6.4)."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.portfolio import with_portfolio

DAYS_A_YEAR, MONTHS_A_YEAR = 365, 12


def months_in_migration(rows: ir.Table) -> ir.Value:
    """Returns the column of months from first investment to cutover; null if that is negative."""
    days = rows.cutover.epoch_days() - rows.first_invested.epoch_days()
    months = days.cast("float64") * MONTHS_A_YEAR / DAYS_A_YEAR
    return ibis.ifelse(days >= 0, months, None)


def first_investments(investment_daily: ir.Table) -> ir.Table:
    """Returns the day of the first investment of each workload, and of the portfolio."""
    spent = investment_daily.filter(investment_daily.amount > 0).select("workload", "date")
    every = with_portfolio(spent)
    return every.group_by("workload").agg(first_invested=every.date.min())
