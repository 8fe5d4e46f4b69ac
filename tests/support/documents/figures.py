"""Where each figure of a statement stands in the workbook, worked out without the workbook's code.

A place is a sheet, a row and a column, from 0. What the statement does not say itself (totals, what
of the portfolio is no workload's, costs per epoch) is computed here once more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

from models.contract.schema import PORTFOLIO
from models.records.columns import BUCKETS, EPOCHS, FLOWS
from models.records.statement import Statement

Row = Mapping[str, Any]
Place = tuple[str, int, int]
TOP = 3
NO_WORKLOAD = "(no workload)"
MONTH = (
    "gpu_cost", "trn_cost", "gpu_epochs", "trn_epochs", "gpu_cost_per_epoch", "trn_cost_per_epoch",
    "counterfactual", "compared_cost", "uncompared_cost", "gross_saving", "overhead", "net_saving",
    "saving_at_list", "saving_at_old_volume", "investment", "adjustments", "other_change",
    "cumulative_net", "cumulative_investment", "roi", "credits",
)  # fmt: skip
AS_OF = ("other_change", "cumulative_net", "cumulative_investment", "roi")
PERIOD = tuple(name for name in MONTH if name not in AS_OF)
COLUMNS = {
    "Runs": (
        "", "", "", "", "accelerator_hours", "epochs", "accelerator_cost", "storage_cost",
        "network_cost", "other_cost", "cost", "unsettled",
    ),
    "Baselines": ("", "date", "", "measured", "repriced", "fixed", "value", "", "runs"),
    "Baseline runs": ("", "", "ended_on", "", "epochs", "cost"),
    "Baseline hours": (
        "", "", "", "", "instance_hours", "epochs", "per_epoch", "effective_cost",
        "reference_cost", "factor", "price", "payer_factor", "repriced", "other_per_epoch",
    ),
    "Tie-out": ("", "", "", *BUCKETS, "held", "bill_total", "block_spread", "remainder", "bridge"),
    "Adjustments": ("", "", "", "version", "now", "told", "adjusted_before", "amount"),
}  # fmt: skip


def figures(statement: Statement) -> dict[Place, Decimal | date | None]:
    """Every number of the workbook by its place; None where it is unknown or there is none."""
    tables = statement.tables
    rows = {
        "Runs": [*tables["runs"], _total(tables["runs"])],
        "Baselines": tables["baselines"],
        "Baseline runs": tables["baseline_runs"],
        "Baseline hours": [_per_hour(row) for row in tables["baseline_hours"]],
        "Tie-out": [
            row | {"held": sum(row[name] for name in BUCKETS)} for row in tables["tie_out"]
        ],
        "Adjustments": [row | {"told": row["closed"]} for row in tables["adjustments"]],
    }
    found = {
        place: value
        for sheet, columns in COLUMNS.items()
        for place, value in _laid(sheet, TOP, rows[sheet], columns)
    }
    history = [row | {"period": row["month"].replace("-", "")} for row in _every(statement)]
    found |= dict(_laid("Workloads", TOP, history, ("", "period", "closed", *MONTH)))
    month = [row for row in history if row["month"] == statement.month]
    said = {row["workload"]: row for row in tables["summary"]}
    newest = [row | said.get(row["workload"], {}) for row in month]
    found |= dict(_laid("Summary", TOP, newest, ("", *MONTH)))
    top = TOP + len(newest) + 3
    for period in ("quarter", "year"):
        told = [row for row in tables["to_date"] if row["period"] == period]
        of_nobody = [
            row
            for row in history
            if row["workload"] == NO_WORKLOAD
            and told[-1]["since"] <= row["month"] <= statement.month
        ]
        beyond = {name: sum(row[name] for row in of_nobody) for name in (*EPOCHS, *FLOWS)}
        sums = [_per_epoch(row) for row in (*told[:-1], beyond, told[-1])]
        found |= dict(_laid("Summary", top, sums, ("", *PERIOD)))
        top += len(sums) + 2
    return found


def _laid(
    sheet: str, top: int, rows: Iterable[Row], columns: Sequence[str]
) -> Iterator[tuple[Place, Decimal | date | None]]:
    for number, row in enumerate(rows, top):
        for place, name in enumerate(columns):
            if name:
                value = row.get(name)
                given = value is None or isinstance(value, date)
                yield (sheet, number, place), value if given else Decimal(value)


def _total(runs: Sequence[Row]) -> Row:
    names = [name for name in COLUMNS["Runs"] if name]
    return {name: sum(row[name] or 0 for row in runs) for name in names}


def _per_hour(row: Row) -> Row:
    paid, whole = row["effective_cost"], row["reference_cost"]
    factor = paid / whole if paid is not None and whole else None
    return {**row, "per_epoch": row["instance_hours"] / row["epochs"], "factor": factor}


def _per_epoch(row: Row) -> Row:
    def each(side: str) -> Decimal | None:
        if (told := row.get(f"{side}_cost_per_epoch")) is not None:
            return Decimal(told)
        cost, epochs = row[f"{side}_cost"], row[f"{side}_epochs"]
        return cost / epochs if cost is not None and epochs else None

    return {**row, **{f"{side}_cost_per_epoch": each(side) for side in ("gpu", "trn")}}


def _every(statement: Statement) -> list[Row]:
    """Workloads month by month, then what no workload answers for, then the portfolio."""
    history = statement.tables["history"]
    whole = [row for row in history if row["workload"] == PORTFOLIO]
    mine = [row for row in history if row["workload"] != PORTFOLIO]
    rest, net = [], Decimal(0)
    for row in whole:
        left: dict[str, Any] = {
            name: _rest(row[name], [own[name] for own in mine if own["month"] == row["month"]])
            for name in (*EPOCHS, *FLOWS, "other_change", "cumulative_investment")
        }
        left["gross_saving"] = left["counterfactual"] - left["compared_cost"]
        left["net_saving"] = left["gross_saving"] - left["overhead"]
        net += left["net_saving"] + left["adjustments"] + left["other_change"] - left["investment"]
        spent = left["cumulative_investment"]
        left |= {"cumulative_net": net, "roi": net / spent if spent > 0 else None}
        own = {"workload": NO_WORKLOAD, "gpu_cost_per_epoch": None, "trn_cost_per_epoch": None}
        rest.append({**row, **left, **own})
    return [_per_epoch(row) for row in (*mine, *rest, *whole)]


def _rest(whole: Decimal | None, parts: Iterable[Decimal | None]) -> Decimal:
    return Decimal(0) if whole is None else whole - sum((p or Decimal(0)) for p in parts)
