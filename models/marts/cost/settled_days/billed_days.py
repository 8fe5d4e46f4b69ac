"""The days that a bill has charges on: what it tells of how far it goes.

Grain: billing period × billing account × day. `used`: something was used on it; `invoiced`: all of
that is. `news`: what was used is more than support or a correction, which say nothing of how far
usage was delivered, as credits, fees and taxes do not (METHOD §1: a stalled export never turns into
$0). Kept beside the reduction, which has a thousand lines a day; there by delivery and source.
"""

from __future__ import annotations

import ibis.expr.types as ir

from models.marts.cost.charges.charge_kinds import supports

STORED = ("delivery", "source")
"""Told where the rows are the store's."""


def billed_days(spend_reduced: ir.Table) -> ir.Table:
    """`billing_period`, `billing_account`, `date`, `used`, `news`, `invoiced`."""
    usage = spend_reduced.category == "Usage"
    corrects = (spend_reduced["class"] == "Correction").fill_null(False)
    stored = [name for name in STORED if name in spend_reduced.columns]
    days = spend_reduced.group_by(*stored, "billing_period", "billing_account", "date")
    return days.agg(
        used=usage.any(),
        news=(usage & ~corrects & ~supports(spend_reduced)).any(),
        invoiced=(spend_reduced.invoiced | ~usage).all(),
    )
