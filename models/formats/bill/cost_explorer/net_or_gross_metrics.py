"""Chooses Cost Explorer's net metrics, or the gross ones for accounts without (METHOD §2.1).

NetAmortizedCost is the effective cost and NetUnblendedCost the billed cost. An account that has no
net figure other than 0 in a month gets AmortizedCost and UnblendedCost instead, and a note.
"""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.contract.schema import AMOUNT
from models.formats import fields
from models.formats.bill.gross_figures import GROSS_NOTE

METRICS = ("amortized", "net_amortized", "unblended", "net_unblended")


def cost(lines: ir.Table, metric: str) -> ir.DecimalValue:
    """Returns the column of Cost Explorer's net cost; gross if line or account's month has none.

    `metric` is `amortized` or `unblended`.
    """
    net = fields.amount(lines, f"net_{metric}")
    chosen = ibis.ifelse(_has_net(lines) & net.notnull(), net, fields.amount(lines, metric))
    return cast(ir.DecimalValue, chosen.cast(AMOUNT))


def gross_note(lines: ir.Table) -> ir.Value:
    """Returns a text column: a note where an account has no net figures in a month, else ""."""
    return ibis.ifelse(_has_net(lines), "", GROSS_NOTE)


def _has_net(lines: ir.Table) -> ir.BooleanValue:
    net = [fields.amount(lines, f"net_{name}") for name in ("amortized", "unblended")]
    given = ibis.or_(*(value.fill_null(0) != 0 for value in net))
    month = ibis.window(group_by=[lines.account, lines.month])
    return cast(ir.BooleanValue, given.cast("int64").max().over(month) == 1)
