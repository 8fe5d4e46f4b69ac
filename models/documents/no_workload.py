"""Computes what a month of the portfolio has beyond its workloads, so that rows add up to it."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from models.contract.schema import PORTFOLIO
from models.records.columns import COSTS_PER_EPOCH
from models.records.statement import Row

NO_WORKLOAD = "(no workload)"
"""What the portfolio has beyond its workloads."""
INPUTS = (
    "gpu_cost", "trn_cost", "gpu_epochs", "trn_epochs", "counterfactual", "compared_cost",
    "overhead", "saving_at_list", "saving_at_old_volume", "investment", "adjustments",
    "other_change", "cumulative_investment", "credits",
)  # fmt: skip


def with_unassigned(history: Sequence[Row]) -> list[Row]:
    """Adds, per month, a row of what the portfolio's row has beyond its workloads' rows."""
    mine = [row for row in history if row["workload"] != PORTFOLIO]
    whole = [row for row in history if row["workload"] == PORTFOLIO]
    rest, total = [], Decimal(0)
    for row in whole:
        others = [other for other in mine if other["month"] == row["month"]]
        left: dict[str, Decimal] = {name: _left(row, others, name) for name in INPUTS}
        left["gross_saving"] = left["counterfactual"] - left["compared_cost"]
        left["net_saving"] = left["gross_saving"] - left["overhead"]
        left["uncompared_cost"] = left["trn_cost"] - left["compared_cost"]
        total += left["net_saving"] + left["adjustments"] + left["other_change"]
        total -= left["investment"]
        spent = left["cumulative_investment"]
        left["cumulative_net"] = total
        roi = total / spent if spent > 0 else None
        own = dict.fromkeys(COSTS_PER_EPOCH) | {"workload": NO_WORKLOAD, "roi": roi}
        rest.append(row | left | own)
    return [*mine, *rest, *whole]


def _left(row: Row, others: Sequence[Row], name: str) -> Decimal:
    """Returns the portfolio's figure less the sum of its workloads'; 0 where it is unknown."""
    if row[name] is None:
        return Decimal(0)
    return Decimal(row[name] - sum(other[name] or 0 for other in others))
