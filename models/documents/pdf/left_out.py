"""Lists in the PDF which dollars a saving excludes or flags, uncompared cost, and credits."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from models.contract.decimal_text import dollars
from models.contract.rules.credited_result_note import credited_result
from models.contract.schema import PORTFOLIO
from models.documents.no_workload import of_unknown
from models.documents.pdf.figures import FEW
from models.documents.spreadsheet_text import plain
from models.documents.wording import bridge, percent
from models.records.statement import Row, Statement, uncompared


def left_out_lines(rows: Sequence[Row]) -> list[list[str]]:
    """Returns (name, text) rows on dollars that a saving excludes or flags, and on credits."""
    kinds = {"left_out": "Not counted", "flagged": "Counted with a flag"}
    (whole,) = (row for row in rows if row["workload"] == PORTFOLIO)
    found = [
        [title, f"{why.replace('_', ' ')}: {dollars(amount)}{_whose(rows, name, why)}"]
        for name, title in kinds.items()
        for why, amount in sorted((whole[name] or {}).items())
    ]
    none = [["Left out or flagged", "nothing"]] if not found else []
    paid = whole["credit_share"]
    share = "" if paid is None else f"; they paid {percent(paid)} of what the month's runs cost"
    credits = ["Credits", f"{dollars(whole['credits'])}, in no cost above{share}"]
    return [*none, *found, *_uncompared(rows), *_judged(whole), *_results(rows), credits]


def unknown_lines(statement: Statement) -> list[list[str]]:
    """Returns (name, text) rows: portfolio dollars of workloads with an unknown figure."""
    return [[title, _known(amount, names)] for title, amount, names in of_unknown(statement)]


def _known(amount: Decimal, names: Sequence[str]) -> str:
    more = [f"and {len(names) - FEW} more"] if len(names) > FEW else []
    named = ", ".join([*map(plain, names[:FEW]), *more])
    return (
        f"In the portfolio's, {dollars(amount)} is known of workloads whose own is unknown "
        f"({named})"
    )


def _judged(whole: Row) -> list[list[str]]:
    share = whole["covered_share"]
    words = f"{percent(share)} of the month's Trainium cost has a GPU cost to compare with"
    return [] if share is None else [["Compared", words]]


def _results(rows: Sequence[Row]) -> list[list[str]]:
    """Returns a PDF row of workloads whose GPU cost is per result, not per epoch; else []."""
    worth = {row["workload"]: credited_result(row["baseline_reason"]) for row in rows}
    mine = [(name, work) for name, work in worth.items() if work]
    named = [f"{plain(name)} {work} each" for name, work in mine[:FEW]]
    more = [f"and {len(mine) - FEW} more"] if len(mine) > FEW else []
    return [["On GPU counts results", ", ".join([*named, *more])]] if mine else []


def _uncompared(rows: Sequence[Row]) -> list[list[str]]:
    """Returns a PDF row: Trainium cost without a GPU cost to compare with; [] if there is none."""
    apart = {row["workload"]: uncompared(row) for row in rows}
    mine = [(name, rest) for name, rest in apart.items() if rest and name != PORTFOLIO]
    if not mine:
        return []
    named = [f"{plain(name)} {dollars(rest)}" for name, rest in mine[:FEW]]
    more = [f"and {len(mine) - FEW} more"] if len(mine) > FEW else []
    (whole,) = (row for row in rows if row["workload"] == PORTFOLIO)
    text = f"{dollars(sum((rest for _, rest in mine), Decimal(0)))} ({', '.join([*named, *more])})"
    return [["Trainium cost not compared", f"{text}. {bridge(whole)}"]]


def _whose(rows: Sequence[Row], name: str, why: str) -> str:
    mine = [row for row in rows if row["workload"] != PORTFOLIO and why in (row[name] or {})]
    named = [f"{plain(row['workload'])} {dollars(row[name][why])}" for row in mine]
    more = [f"and {len(named) - FEW} more"] if len(named) > FEW else []
    return f" ({', '.join([*named[:FEW], *more])})" if named else ""
