"""Computes rows `no workload`: portfolio figures less the workloads', so that rows add up.

Some of it belongs to no workload. The rest is of workloads whose own figure is unknown, as is the
net saving of one without a GPU baseline: what is known of it (investment, overhead) counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal

from models.contract.schema import PORTFOLIO
from models.records.columns import COSTS_PER_EPOCH, EPOCHS, FLOWS
from models.records.statement import Row, Statement

NO_WORKLOAD = "(no workload)"
"""What the portfolio has beyond its workloads."""
ADDED_UP = {"net_saving": "Net saving", "cumulative_net": "Cumulative"}
"""Figures of which the portfolio has more than its workloads show: their columns, and titles."""
INPUTS = (
    "gpu_cost", "trn_cost", "gpu_epochs", "trn_epochs", "counterfactual", "compared_cost",
    "overhead", "saving_at_list", "saving_at_old_volume", "investment", "adjustments",
    "other_change", "cumulative_investment", "credits",
)  # fmt: skip


def with_unassigned(history: Sequence[Row]) -> list[Row]:
    """Returns the rows by workload and month, and one per month: portfolio less workloads."""
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


def to_date_with_unassigned(statement: Statement, period: str) -> list[Row]:
    """Lists `quarter` or `year` to date by workload, with a row of portfolio less workloads."""
    rows = [row for row in statement.tables["to_date"] if row["period"] == period]
    whole = [row for row in rows if row["workload"] == PORTFOLIO]
    beyond = [_beyond(statement, row) for row in whole]
    return [*(row for row in rows if row["workload"] != PORTFOLIO), *beyond, *whole]


def _beyond(statement: Statement, whole: Row) -> Row:
    """Returns a row, summed over a period's months, of the portfolio less its workloads."""
    months = [
        row
        for row in with_unassigned(statement.tables["history"])
        if row["workload"] == NO_WORKLOAD and whole["since"] <= row["month"] <= statement.month
    ]
    sums = {name: sum((row[name] for row in months), Decimal(0)) for name in (*EPOCHS, *FLOWS)}
    return whole | sums | {"workload": NO_WORKLOAD}


def of_no_workload(statement: Statement) -> Row | None:
    """Returns the statement month's row of the portfolio less its workloads; None if all are 0."""
    rows = with_unassigned(statement.tables["history"])
    mine = (
        row for row in rows if (row["month"], row["workload"]) == (statement.month, NO_WORKLOAD)
    )
    row = next(mine, None)
    amounts = {*INPUTS, "cumulative_net"} - {"cumulative_investment"}
    return row if row and any(row[name] for name in amounts) else None


def of_unknown(statement: Statement) -> Iterator[tuple[str, Decimal, list[str]]]:
    """Yields (figure, dollars, names): portfolio amounts of workloads with unknown figures.

    Each is a figure's title, the dollars and the names of the workloads. With them the workloads'
    figures add up to the portfolio's. Nothing for a figure of which that is $0.
    """
    for name, title in ADDED_UP.items():
        amount, workloads = _of_unknown(statement, name)
        if amount:
            yield title, amount, workloads


def _of_unknown(statement: Statement, name: str) -> tuple[Decimal, list[str]]:
    rows = [row for row in statement.tables["summary"] if row["workload"] != PORTFOLIO]
    unknown = [row["workload"] for row in rows if row[name] is None]
    whole = statement.row(PORTFOLIO)[name] if unknown else None
    if whole is None:
        return Decimal(0), []
    beyond = of_no_workload(statement)
    shown = [*rows, beyond] if beyond else rows
    return Decimal(whole - sum(row[name] or 0 for row in shown)), unknown


def _left(row: Row, others: Sequence[Row], name: str) -> Decimal:
    """Returns a portfolio figure less its workloads' sum; 0 if the portfolio's is unknown."""
    if row[name] is None:
        return Decimal(0)
    return Decimal(row[name] - sum(other[name] or 0 for other in others))
