"""Lists in the PDF how figures were computed: cost basis, baselines, inputs, the close."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from models.contract.decimal_text import UNKNOWN, dollars, rounded
from models.contract.schema import PORTFOLIO
from models.contract.units import EPOCH, per, plural
from models.documents.paper import Paper
from models.documents.pdf.closed_months import summed
from models.documents.pdf.figures import FEW, more_rows
from models.documents.spreadsheet_text import plain
from models.documents.wording import number
from models.records.closes import Close
from models.records.statement import Row, whole_name


def basis_lines(paper: Paper) -> list[list[str]]:
    """Returns (name, text) rows for the PDF: cost basis, baselines, deliveries, SHA-256, …."""
    facts, close = paper.statement.facts, paper.close
    through = facts["settled_through"]
    settled = f"settled through {through}" if through else "no day of the month is settled"
    how = f"{facts['basis']} cost, {settled}{_behind(paper)}"
    lines = [
        ["Figures", f"US dollars, {how}; GPU baseline by method {facts['baseline_method']}"],
        *_baselines(paper.statement.tables),
    ]
    if close:
        count = f"{len(close.deliveries)} deliveries; `breakeven verify` computes it again"
        lines.append(["Computed from", count])
        lines += [["Opened again", plain(close.reason)]] if close.reason else []
        lines += [["Explained", plain(words)] for words in _explained(close)]
    return [*lines, ["SHA-256", paper.statement.sha256]]


def _explained(close: Close) -> list[str]:
    """Lists a close's notes that a person explained, without the marking words."""
    notes = [note.split(maxsplit=2) for note in close.notes]
    return [words[2] for words in notes if words[1:2] == ["explained"]]


def _behind(paper: Paper) -> str:
    """Returns a text of up to six workloads with settled day unlike the portfolio's."""
    rows = paper.statement.tables["summary"]
    through = paper.statement.row(PORTFOLIO)["settled_through"]
    others = [row for row in rows if row["settled_through"] not in (None, through)]
    others_named = [f"{plain(row['workload'])} {row['settled_through']}" for row in others[:FEW]]
    return f" ({', '.join(others_named)})" if others_named else ""


def _baselines(tables: Mapping[str, list[Row]]) -> list[list[str]]:
    """Lists six GPU baselines as rows (name, reason, inputs), and a row if there are more."""
    trained = {whole_name(row) for row in tables.get("baseline_runs", [])}
    first = sorted(tables["baselines"], key=lambda row: whole_name(row) not in trained)
    return [
        [f"Baseline of {plain(name)}", plain("; ".join(words))]
        for row in first[:FEW]
        for name in [whole_name(row)]
        for words in [[row["reason"] or "", *_inputs(name, row["unit"] or EPOCH, tables)]]
    ] + ([["Baselines", more]] if (more := more_rows(first, FEW)) else [])


def _inputs(name: str, unit: str, tables: Mapping[str, list[Row]]) -> list[str]:
    """Lists the terms of a GPU baseline as text, so that a reader can redo it; [] without runs.

    They are the terms of the measured baseline and of the repriced one.
    """
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
        f"{names}: {dollars(summed(runs, 'cost'))} ÷ {number(epochs)} {plural(unit)}",
        *(_term(row) for row in hours[:FEW]),
        *([f"and {len(hours) - FEW} more ways of buying"] if len(hours) > FEW else []),
        *(f"storage and the like {dollars(amount)} {per(unit)}" for amount in other),
    ]


def _term(row: Row) -> str:
    bought = f"{row['instance_type']} {row['region']} {row['purchase_option'].replace('_', ' ')}"
    price = UNKNOWN if row["price"] is None else f"${row['price'].normalize():f}"
    paid = f"{dollars(row['effective_cost'])} ÷ {dollars(row['reference_cost'])}"
    if (lower := row["payer_factor"]) is not None:
        paid = f"{rounded(lower, 4)} (the payer's part of the price; the runs' own was {paid})"
    return (
        f"{bought}: {number(row['instance_hours'])} h ÷ {number(row['epochs'])} × {price} × "
        f"{paid} = {dollars(row['repriced'])}"
    )
