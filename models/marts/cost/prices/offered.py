"""Lists the zones in which EC2 offers an instance type."""

from __future__ import annotations

import ibis.expr.types as ir

from models.contract.declaration import mart
from models.contract.schema import EXPLAINERS
from models.marts.cost.prices.capacity_offers import newest_answers


@mart(
    grain="account × zone × instance type, of the newest answer for each account and region",
    units="none",
    nulls="none",
    method="§2.7",
    whose="company",
)
def offered(capacity: ir.Table) -> ir.Table:
    """Lists the zones in which EC2 last offered each instance type."""
    return newest_answers(capacity, "zone").select(*EXPLAINERS["offered"])
