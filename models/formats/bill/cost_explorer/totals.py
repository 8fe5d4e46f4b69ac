"""Sums the dollars of each account and month in Cost Explorer's lines."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.formats import fields
from models.formats.bill.cost_explorer.net_or_gross_metrics import cost
from models.formats.bill.cost_explorer.repeated_requests import charged_once


def totals(lines: ir.Table) -> ir.Table:
    """Sums Cost Explorer's billed and effective cost per payer, account and month, as text."""
    lines = charged_once(lines)
    linked = ibis.coalesce(fields.text(lines, "linked_account"), lines.account)
    costs = lines.select(
        account=lines.account + "|" + linked + "|" + lines.month.substr(0, 7),
        BilledCost=cost(lines, "unblended"),
        EffectiveCost=cost(lines, "amortized"),
    )
    return costs.group_by("account").agg(
        BilledCost=costs.BilledCost.sum().cast("string"),
        EffectiveCost=costs.EffectiveCost.sum().cast("string"),
    )
