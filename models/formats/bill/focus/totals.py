"""Sums a bill's cost columns per account and month, as its control totals."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.schema import COSTS
from models.formats import fields
from models.formats.bill.focus.columns import ACCOUNTS, METERS
from models.formats.bill.focus.split_cost_rows import is_pod


def totals(lines: ir.Table, *more: str) -> ir.Table:
    """Sums each cost column of a FOCUS bill without pods' rows, per payer, account and month.

    `more` names further columns to sum. Split cost rows of pods repeat what their instance costs,
    so they are left out (METHOD §2.9). Texts and dates are read once per group and not once per
    line.
    """
    texts = {name: lines[name] for name in (*ACCOUNTS, *METERS) if name in lines.columns}
    present = [name for name in (*COSTS, *more) if name in lines.columns]
    groups = lines.group_by(**texts, period=_month(lines)).agg(
        **{name: fields.amount(lines, name).sum() for name in present}
    )
    groups = groups.filter(~is_pod(groups))
    billing = fields.text(groups, "BillingAccountId").fill_null("")
    account = fields.text(groups, "SubAccountId").fill_null(billing)
    month = groups.period.strftime("%Y-%m")
    sums = {name: groups[name].sum().cast("string") for name in present}
    return groups.group_by(account=billing + "|" + account + "|" + month).agg(**sums)


def _month(lines: ir.Table) -> ir.TimestampValue:
    """Returns the start of a FOCUS line's billing period, else of its charge's month.

    It has few distinct values, and so makes few groups.
    """
    started = fields.timestamp(lines, "ChargePeriodStart").truncate("M")
    return ibis.coalesce(fields.timestamp(lines, "BillingPeriodStart"), started)
