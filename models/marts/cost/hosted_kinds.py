"""What the parts are in which pods divide their instances: `charge_kinds` of `hosted`."""

from __future__ import annotations

import ibis.expr.types as ir

from models.marts.cost.charges.charge_kinds import charge_kinds


def hosted_kinds(hosted: ir.Table, spend_reduced: ir.Table, usages: ir.Table) -> ir.Table:
    """Columns of `charge_kinds`; the workload is the pods'."""
    parts = hosted.drop("workload").rename(workload="owner")
    return charge_kinds(parts.select(spend_reduced.columns), usages)
