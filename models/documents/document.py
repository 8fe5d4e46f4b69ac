"""The statement as two pages to put before a CFO (PDF, typeset by Typst)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

from models.contract.schema import PORTFOLIO
from models.documents.cells import plain
from models.documents.curve import curve
from models.documents.paper import Paper
from models.records.closes import Close
from models.records.columns import BUCKETS
from models.records.statement import Row, Statement, whole_name

TEMPLATE = Path(__file__).with_name("statement.typ")
MOST = 12
FEW = 6
"""Rows of a table on the first page and on the second; the workbook has them all."""
CENT = Decimal("0.01")
UNKNOWN = "unknown"


def document(paper: Paper) -> bytes:
    """The file; the same bytes whenever it is written."""
    import typst  # ten megabytes that only this needs

    content: bytes = typst.compile(
        TEMPLATE.read_bytes(),
        format="pdf",
        ignore_system_fonts=True,
        sys_inputs={"data": json.dumps(_data(paper))},
        timestamp=int(paper.dated.timestamp()),
    )
    return content


def _data(paper: Paper) -> dict[str, Any]:
    whole = paper.statement.row(PORTFOLIO)
    return {
        "title": f"Savings of training on Trainium, {paper.statement.month}",
        "stand": plain(paper.stand),
        "sentence": sentence(paper.statement.month, whole),
        "reservation": reservation(whole),
        "tiles": _tiles(whole),
        "curve": curve(paper.statement.tables["curve"]),
        "no_curve": "There are not two settled weeks to draw.",
        "workloads": _workloads(paper.statement, FIGURES),
        "besides": _workloads(paper.statement, BESIDES),
        "periods": _periods(paper),
        "tied": _tied(paper.statement.tables["tie_out"]),
        "buckets": _buckets(paper.statement.tables["tie_out"]),
        "moved": _moved(paper.statement.tables["adjustments"]),
        "aside": _aside(paper.statement.tables["summary"]),
        "facts": _facts(paper),
        "footer": f"{paper.statement.month} sha256 {paper.statement.sha256}",
    }


def dollars(value: Decimal | None) -> str:
    """`-$1,234.50`, half-up; what is not known says so."""
    if value is None:
        return UNKNOWN
    cents = value.quantize(CENT, rounding=ROUND_HALF_UP)
    return f"{'-' if cents < 0 else ''}${abs(cents):,}"


def sentence(month: str, whole: Row) -> str:
    """What the portfolio saved in the month, and where it stands since."""
    net, total, spent = whole["net_saving"], whole["cumulative_net"], whole["investment"]
    if net is None or total is None:
        return f"What {month} saved is not known: the pages below say why."
    verb = "saved" if net >= 0 else "lost"
    stands = "ahead" if total >= 0 else "short of break-even"
    return (
        f"Training on Trainium {verb} {dollars(abs(net))} net in {month}, "
        f"with {dollars(spent)} invested in the month. "
        f"Since the beginning the migration is {dollars(abs(total))} {stands}."
    )


def reservation(whole: Row) -> str:
    """The headline's dollars that are counted with a flag, and those that are left out of it."""
    kinds = {"flagged": "Counted with a flag", "left_out": "Left out"}
    told = [
        f"{title}: "
        + ", ".join(f"{why.replace('_', ' ')} {dollars(amount)}" for why, amount in sorted(found))
        for name, title in kinds.items()
        if (found := (whole[name] or {}).items())
    ]
    return f"{'. '.join(told)}." if told else ""


def _tiles(whole: Row) -> list[list[str]]:
    return [
        ["Net saving", dollars(whole["net_saving"])],
        ["Saving at list prices", dollars(whole["saving_at_list"])],
        ["Adjustments", dollars(whole["adjustments"])],
        ["Cumulative net", dollars(whole["cumulative_net"])],
    ]


FIGURES = {
    "Trainium cost": "trn_cost",
    "Epochs": "trn_epochs",
    "Per epoch": "trn_cost_per_epoch",
    "GPU baseline": "baseline_value",
    "On GPU": "counterfactual",
    "Gross saving": "gross_saving",
    "Overhead": "overhead",
    "Net saving": "net_saving",
    "Cumulative": "cumulative_net",
}
BESIDES = {
    "GPU cost": "gpu_cost",
    "Epochs": "gpu_epochs",
    "Per epoch": "gpu_cost_per_epoch",
    "At list": "saving_at_list",
    "Invested": "investment",
    "Adjusted": "adjustments",
    "Credits": "credits",
    "Status": "status",
    "Parity": "parity",
    "Compared": "comparability",
}


def _workloads(statement: Statement, columns: Mapping[str, str]) -> dict[str, Any]:
    summary = statement.tables["summary"]
    rows = [row | {"several": statement.several(row["workload"])} for row in summary]
    mine = [row for row in rows if row["workload"] != PORTFOLIO]
    mine.sort(key=lambda row: (-abs(row["net_saving"] or 0), row["workload"]))
    (whole,) = (row for row in rows if row["workload"] == PORTFOLIO)
    return {
        "columns": ["Workload", *columns],
        "rows": [_figures(row["workload"], row, columns) for row in mine[:MOST]],
        "total": _figures("Portfolio", whole, columns),
        "more": _more(mine),
    }


def _figures(name: str, row: Row, columns: Mapping[str, str]) -> list[str]:
    return [plain(name), *(_figure(column, row) for column in columns.values())]


def _figure(column: str, row: Row) -> str:
    value = row[column]
    side = column[:3]
    if column.endswith("per_epoch") and not row[f"{side}_epochs"]:
        return "no epochs"
    if column == "baseline_value" and row["workload"] == PORTFOLIO:
        return ""
    if column == "baseline_value" and row["several"]:
        return "several"
    if column == "comparability":
        return {"comparable": "yes", "not_comparable": "no"}.get(value or "", "")
    if column in ("status", "parity"):
        return plain((value or "").replace("_", " "))
    return _number(value) if column.endswith("epochs") else dollars(value)


def _more(rows: Sequence[object], most: int = MOST) -> str:
    return f"And {len(rows) - most} more: the workbook has every row." if len(rows) > most else ""


def _periods(paper: Paper) -> dict[str, Any]:
    names = {
        "Trainium cost": "trn_cost",
        "On GPU": "counterfactual",
        "Compared with": "compared_cost",
        "Overhead": "overhead",
        "Net saving": "net_saving",
        "Investment": "investment",
        "Adjustments": "adjustments",
        "Credits": "credits",
    }
    facts = paper.statement.facts
    called = {"quarter": facts["fiscal_quarter"], "year": facts["fiscal_year"]}
    rows = [
        [
            f"{called[row['period']]} since {row['since']}",
            *(dollars(row[column]) for column in names.values()),
        ]
        for row in paper.statement.tables["to_date"]
        if row["workload"] == PORTFOLIO
    ]
    month = paper.statement.row(PORTFOLIO)
    rows.insert(0, [paper.statement.month, *(dollars(month[c]) for c in names.values())])
    return {"columns": ["Portfolio", *names], "rows": rows}


def _tied(rows: Sequence[Row]) -> dict[str, Any]:
    billed = [row for row in rows if row["basis"] == "billed"]
    bridges = {(r["billing_account"], r["account"]): r for r in rows if r["basis"] == "effective"}
    told = [_account(row, bridges.get((row["billing_account"], row["account"]))) for row in billed]
    told.sort(key=lambda line: (-abs(line[3]), -abs(line[1]), line[0]))
    sums = [sum((line[n] for line in told), Decimal(0)) for n in range(1, 5)]
    return {
        "columns": ["Account", "Bill", "In buckets", "Remainder", "Bridge", "Told by"],
        "rows": [[line[0], *map(dollars, line[1:5]), line[5]] for line in told[:FEW]],
        "total": ["All accounts, as billed", *map(dollars, sums), ""],
        "more": _more(billed, FEW),
    }


def _account(row: Row, effective: Row | None) -> list[Any]:
    held = sum((row[name] for name in BUCKETS), Decimal(0))
    bridge = effective["bridge"] if effective else Decimal(0)
    source = row["total_source"].replace("_", " ")
    who = row["account"] or "no account"
    return [plain(who), row["bill_total"], held, row["remainder"], bridge, source]


def _buckets(rows: Sequence[Row]) -> list[list[str]]:
    """Where the bill of all accounts went, on each basis; an empty bucket is not named."""
    sums = {
        basis: {name: sum(row[name] for row in rows if row["basis"] == basis) for name in BUCKETS}
        for basis in ("billed", "effective")
    }
    return [
        [
            f"Buckets, {basis}",
            ", ".join(
                f"{name.replace('_', ' ')} {dollars(amount)}"
                for name, amount in held.items()
                if amount
            )
            or "nothing",
        ]
        for basis, held in sums.items()
    ]


def _moved(rows: Sequence[Row]) -> dict[str, Any]:
    """Net saving, investment and the bill of each closed month that moved, and why."""
    months = sorted({row["month"] for row in rows})
    lines = [[month, *(dollars(value) for value in _of_month(rows, month))] for month in months]
    causes = {(row["month"], row["cause"]): None for row in rows if row["workload"] == PORTFOLIO}
    causes = causes or {(row["month"], row["cause"]): None for row in rows}
    return {
        "columns": ["Closed month", "Net saving", "Investment", "The bill, as billed"],
        "rows": lines[-FEW:],
        "more": _more(lines, FEW),
        "none": "None: no closed month has changed.",
        "causes": [[month, plain(cause)] for month, cause in list(causes)[-FEW:]],
    }


def _of_month(rows: Iterable[Row], month: str) -> list[Decimal | None]:
    mine = [row for row in rows if row["month"] == month]
    whole = [row for row in mine if row["workload"] == PORTFOLIO]
    bill = [r for r in mine if (r["measure"], r["basis"]) == ("bill_total", "billed")]
    parts = [[r for r in whole if r["measure"] == name] for name in ("net_saving", "investment")]
    return [_summed(part, "amount") for part in (*parts, bill)]


def _summed(rows: Sequence[Row], name: str) -> Decimal | None:
    known = [row[name] for row in rows if row[name] is not None]
    return sum(known, Decimal(0)) if len(known) == len(rows) else None


def _aside(rows: Sequence[Row]) -> list[list[str]]:
    """What the headline leaves out or flags, in all and by workload; the credits."""
    kinds = {"left_out": "Not counted", "flagged": "Counted with a flag"}
    (whole,) = (row for row in rows if row["workload"] == PORTFOLIO)
    found = [
        [title, f"{why.replace('_', ' ')}: {dollars(amount)}{_whose(rows, name, why)}"]
        for name, title in kinds.items()
        for why, amount in sorted((whole[name] or {}).items())
    ]
    none = [["Left out or flagged", "nothing"]] if not found else []
    credits = ["Credits", f"{dollars(whole['credits'])}, in no cost above"]
    return [*none, *found, *_uncompared(rows), credits]


def _uncompared(rows: Sequence[Row]) -> list[list[str]]:
    """Trainium cost beside which no GPU cost stands: no saving has it, nor any loss."""
    known = [row for row in rows if row["trn_cost"] is not None]
    apart = {row["workload"]: row["trn_cost"] - (row["compared_cost"] or 0) for row in known}
    mine = [(name, rest) for name, rest in apart.items() if rest and name != PORTFOLIO]
    if not mine:
        return []
    told = [f"{plain(name)} {dollars(rest)}" for name, rest in mine[:FEW]]
    more = [f"and {len(mine) - FEW} more"] if len(mine) > FEW else []
    said = f"{dollars(sum((rest for _, rest in mine), Decimal(0)))} ({', '.join([*told, *more])})"
    return [["Trainium cost not compared", said]]


def _whose(rows: Sequence[Row], name: str, why: str) -> str:
    mine = [row for row in rows if row["workload"] != PORTFOLIO and why in (row[name] or {})]
    told = [f"{plain(row['workload'])} {dollars(row[name][why])}" for row in mine]
    more = [f"and {len(told) - FEW} more"] if len(told) > FEW else []
    return f" ({', '.join([*told[:FEW], *more])})" if told else ""


def _facts(paper: Paper) -> list[list[str]]:
    facts, close = paper.statement.facts, paper.close
    how = f"{facts['basis']} cost, settled through {facts['settled_through']}{_behind(paper)}"
    told = [
        ["Figures", f"US dollars, {how}; GPU baseline by method {facts['baseline_method']}"],
        *_baselines(paper.statement.tables),
    ]
    if close:
        count = f"{len(close.deliveries)} deliveries; `breakeven verify` computes it again"
        told.append(["Computed from", count])
        told += [["Opened again", plain(close.reason)]] if close.reason else []
        told += [["Explained", plain(said)] for said in _explained(close)]
    return [*told, ["SHA-256", paper.statement.sha256]]


def _explained(close: Close) -> list[str]:
    """What did not hold when it was closed, and what a person said of it."""
    told = [note.split(maxsplit=2) for note in close.notes]
    return [words[2] for words in told if words[1:2] == ["explained"]]


def _behind(paper: Paper) -> str:
    """Workloads that are settled through another day than the portfolio."""
    rows = paper.statement.tables["summary"]
    through = paper.statement.row(PORTFOLIO)["settled_through"]
    others = [row for row in rows if row["settled_through"] not in (None, through)]
    told = [f"{plain(row['workload'])} {row['settled_through']}" for row in others[:FEW]]
    return f" ({', '.join(told)})" if told else ""


def _baselines(tables: Mapping[str, list[Row]]) -> list[list[str]]:
    """Why each baseline is what it is, and its inputs, so that it can be redone by hand."""
    trained = {whole_name(row) for row in tables.get("baseline_runs", [])}
    first = sorted(tables["baselines"], key=lambda row: whole_name(row) not in trained)
    return [
        [f"Baseline of {plain(name)}", plain("; ".join(told))]
        for row in first[:FEW]
        for name in [whole_name(row)]
        for told in [_told(row, _inputs(name, tables), tables["baselines"])]
    ] + ([["Baselines", more]] if (more := _more(first, FEW)) else [])


def _told(row: Row, inputs: list[str], every: Sequence[Row]) -> list[str]:
    """Why it is what it is, and its inputs; before words that end with another kind of work's."""
    why = [row["reason"] or ""]
    further = {each["workload"] for each in every if each["kind_of_work"]}
    main = row["kind_of_work"] is None and row["workload"] in further
    return [*inputs, *why] if main else [*why, *inputs]


def _inputs(name: str, tables: Mapping[str, list[Row]]) -> list[str]:
    """Measured and repriced as a reader's calculator would take them."""
    runs, hours = (
        [row for row in tables.get(table, []) if whole_name(row) == name]
        for table in ("baseline_runs", "baseline_hours")
    )
    if not runs:
        return []
    epochs = sum((row["epochs"] for row in runs), Decimal(0))
    other = [row["other_per_epoch"] for row in hours[:1] if row["other_per_epoch"]]
    names = ", ".join(row["lineage"] for row in runs[:FEW]) + (", …" if len(runs) > FEW else "")
    return [
        f"{names}: {dollars(_summed(runs, 'cost'))} ÷ {_number(epochs)} epochs",
        *(_term(row) for row in hours[:FEW]),
        *([f"and {len(hours) - FEW} more ways of buying"] if len(hours) > FEW else []),
        *(f"storage and the like {dollars(amount)} an epoch" for amount in other),
    ]


def _term(row: Row) -> str:
    bought = f"{row['instance_type']} {row['region']} {row['purchase_option'].replace('_', ' ')}"
    price = UNKNOWN if row["price"] is None else f"${row['price'].normalize():f}"
    paid = f"{dollars(row['effective_cost'])} ÷ {dollars(row['reference_cost'])}"
    return (
        f"{bought}: {_number(row['instance_hours'])} h ÷ {_number(row['epochs'])} × {price} × "
        f"{paid} = {dollars(row['repriced'])}"
    )


def _number(value: Decimal | None) -> str:
    return UNKNOWN if value is None else f"{value.quantize(CENT, rounding=ROUND_HALF_UP):,}"
