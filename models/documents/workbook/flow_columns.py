"""Defines the workbook columns of a month's figures, with their formulas."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from models.contract.units import EPOCH, per, plural
from models.documents.wording import nothing_invested
from models.documents.workbook.book import Column, known, letters
from models.records.statement import Row, uncompared

NONE = "none"
"""The return where nothing was invested."""


def flow_columns(*first: Column, unit: str | None = EPOCH) -> list[Column]:
    """Returns the workbook columns of a month's costs, work and savings, with formulas.

    They follow the columns `first`. `unit` is what every workload counts, None for several.
    """
    columns = [
        *first,
        Column("gpu_cost", "GPU cost"),
        Column("trn_cost", "Trainium cost"),
        Column("gpu_epochs", f"GPU {plural(unit)}", "number"),
        Column("trn_epochs", f"Trainium {plural(unit)}", "number"),
        Column("gpu_cost_per_epoch", f"GPU cost {per(unit)}"),
        Column("trn_cost_per_epoch", f"Trainium cost {per(unit)}"),
        Column("counterfactual", "The same work on GPU"),
        Column("compared_cost", "Trainium cost compared"),
        Column("uncompared_cost", "Trainium cost not compared"),
        Column("gross_saving", "Gross saving"),
        Column("overhead", "Overhead"),
        Column("net_saving", "Net saving"),
        Column("saving_at_list", "Saving at list prices"),
        Column("saving_at_old_volume", "Gross saving at the old volume"),
        Column("investment", "Investment"),
        Column("adjustments", "Adjustments of closed months"),
        Column("other_change", "Other change"),
        Column("cumulative_net", "Cumulative net"),
        Column("cumulative_investment", "Invested so far"),
        Column("roi", "Return on investment", "share"),
        Column("credits", "Credits"),
    ]
    at = letters(columns)
    follows = {
        "gpu_cost_per_epoch": lambda n: per_epoch(at, "gpu", n),
        "trn_cost_per_epoch": lambda n: per_epoch(at, "trn", n),
        "uncompared_cost": lambda n: _uncompared(at, n),
        "gross_saving": lambda n: difference(at, "counterfactual", "compared_cost", n),
        "net_saving": lambda n: difference(at, "gross_saving", "overhead", n),
        "roi": lambda n: _return(at, n),
    }
    return [
        Column(c.name, c.title, c.shown, follows.get(c.name, c.formula), c.width) for c in columns
    ]


def per_epoch(at: Mapping[str, str], side: str, n: int) -> str:
    """Returns the spreadsheet formula of a row's cost per unit of work, on GPU or Trainium."""
    cost, epochs = f"{at[f'{side}_cost']}{n}", f"{at[f'{side}_epochs']}{n}"
    return f'=IF(OR(COUNT({cost},{epochs})<2,{epochs}=0),"unknown",{cost}/{epochs})'


def difference(at: Mapping[str, str], whole: str, part: str, n: int) -> str:
    """Returns the spreadsheet formula of one column less another in a row."""
    left, right = f"{at[whole]}{n}", f"{at[part]}{n}"
    return known(f"{left}-{right}", left, right)


def _uncompared(at: Mapping[str, str], n: int) -> str:
    """Returns the formula of Trainium cost less the part compared with GPU, unknown as 0."""
    whole, part = f"{at['trn_cost']}{n}", f"{at['compared_cost']}{n}"
    return known(f"{whole}-N({part})", whole)


def _return(at: Mapping[str, str], n: int) -> str:
    """Returns the formula of cumulative net ÷ the investment so far; `none` without investment."""
    net, spent = f"{at['cumulative_net']}{n}", f"{at['cumulative_investment']}{n}"
    earned = f'IF(COUNT({net})<1,"unknown",{net}/{spent})'
    return f'=IF(COUNT({spent})<1,"unknown",IF({spent}<=0,"{NONE}",{earned}))'


def with_costs_per_epoch(row: Row) -> dict[str, Any]:
    """Returns the row with costs per unit, uncompared cost, return, and its month as a number.

    A cost per epoch that is told is not cost ÷ epochs: some of the cost is of another kind of work
    than the main one, or of work that its unit does not count.
    """
    sides = {f"{side}_cost_per_epoch": _per_epoch(row, side) for side in ("gpu", "trn")}
    sides |= {name: row[name] for name in sides if row.get(name) is not None}
    apart = {"uncompared_cost": uncompared(row)} | _none_invested(row)
    return {**row, **sides, **apart, "period": int(row["month"].replace("-", ""))}


def _none_invested(row: Row) -> dict[str, str]:
    """Returns `none` as the return of a row without investment, else an empty dict."""
    return {"roi": NONE} if nothing_invested(row) else {}


def _per_epoch(row: Row, side: str) -> Decimal | None:
    cost, work = row[f"{side}_cost"], row[f"{side}_epochs"]
    return cost / work if cost is not None and work else None
