"""The statement as a workbook that an auditor can follow cell by cell.

Every saving, subtotal, cost per epoch and cumulative figure is a live formula over the cells it
comes from, and carries our own value: they must agree. Nothing in it depends on when it is written.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from xlsxwriter import Workbook
from xlsxwriter.worksheet import Worksheet

from models.contract.schema import PORTFOLIO
from models.documents.baseline_sheets import baseline_sheets
from models.documents.document import dollars
from models.documents.meanings import MEANING
from models.documents.paper import Paper
from models.documents.sheets import FIRST, Book, Column, added, known, letters
from models.records.columns import BUCKETS
from models.records.statement import Row, whole_name

NOBODY = "(no workload)"
"""What the portfolio has beyond its workloads."""
INPUTS = (
    "gpu_cost", "trn_cost", "gpu_epochs", "trn_epochs", "counterfactual", "compared_cost",
    "overhead", "saving_at_list", "investment", "adjustments", "other_change", "credits",
)  # fmt: skip


def workbook(paper: Paper) -> bytes:
    """The file."""
    buffer = io.BytesIO()
    with Workbook(buffer, {"in_memory": True}) as made:
        made.set_properties({"title": f"Savings {paper.statement.month}", "created": paper.dated})
        book = Book(made)
        summary = book.sheet("Summary", frozen=(FIRST - 1, 1))
        months = _months(book, paper)
        _summary(book, summary, paper, months)
        _runs(book, paper)
        baseline_sheets(book, paper, _worth(paper))
        _tie_out(book, paper)
        _adjustments(book, paper)
        _method(book, paper)
    return buffer.getvalue()


def _flow_columns(*first: Column) -> list[Column]:
    """The flows of a row; `*` in a formula is its number."""
    columns = [
        *first,
        Column("gpu_cost", "GPU cost"),
        Column("trn_cost", "Trainium cost"),
        Column("gpu_epochs", "GPU epochs", "number"),
        Column("trn_epochs", "Trainium epochs", "number"),
        Column("gpu_cost_per_epoch", "GPU cost per epoch"),
        Column("trn_cost_per_epoch", "Trainium cost per epoch"),
        Column("counterfactual", "The same epochs on GPU"),
        Column("compared_cost", "Trainium cost compared"),
        Column("gross_saving", "Gross saving"),
        Column("overhead", "Overhead"),
        Column("net_saving", "Net saving"),
        Column("saving_at_list", "Saving at list prices"),
        Column("investment", "Investment"),
        Column("adjustments", "Adjustments of closed months"),
        Column("other_change", "Other change"),
        Column("cumulative_net", "Cumulative net"),
        Column("credits", "Credits"),
    ]
    at = letters(columns)
    follows = {
        "gpu_cost_per_epoch": lambda n: _per(at, "gpu", n),
        "trn_cost_per_epoch": lambda n: _per(at, "trn", n),
        "gross_saving": lambda n: _less(at, "counterfactual", "compared_cost", n),
        "net_saving": lambda n: _less(at, "gross_saving", "overhead", n),
    }
    return [
        Column(c.name, c.title, c.shown, follows.get(c.name, c.formula), c.width) for c in columns
    ]


def _per(at: Mapping[str, str], side: str, n: int) -> str:
    cost, epochs = f"{at[f'{side}_cost']}{n}", f"{at[f'{side}_epochs']}{n}"
    return f'=IF(OR(COUNT({cost},{epochs})<2,{epochs}=0),"unknown",{cost}/{epochs})'


def _less(at: Mapping[str, str], whole: str, part: str, n: int) -> str:
    left, right = f"{at[whole]}{n}", f"{at[part]}{n}"
    return known(f"{left}-{right}", left, right)


Places = dict[tuple[str, str], int]
"""Workload and month → the row on the sheet of workloads, as people count."""


def _months(book: Book, paper: Paper) -> Places:
    """Every workload's months, and what follows from them; the portfolio adds them up."""
    rows = _with_nobody(paper.statement.tables["history"])
    places = {(row["workload"], row["month"]): n for n, row in enumerate(rows, FIRST)}
    columns = _flow_columns(
        Column("workload", "Workload", "text", width=24),
        Column("period", "Month", "month", width=9),
        Column("closed", "Closed as version", "number", width=9),
    )
    sheet = book.sheet("Workloads", frozen=(FIRST - 1, 2))
    _head(book, sheet, "Every month of every workload", paper)
    book.table(sheet, FIRST - 2, columns, [_shown(row) for row in rows])
    at = letters(columns)
    by_place = {name: place for place, name in enumerate(at)}
    for before, row in zip([None, *rows], rows, strict=False):
        n = places[row["workload"], row["month"]]
        opens = before is None or before["workload"] != row["workload"]
        formulas = {"cumulative_net": _cumulative(at, n, opens)} if _follows(row) else {}
        if row["workload"] == PORTFOLIO:
            members = [p for (who, month), p in places.items() if _member(who, month, row)]
            formulas |= {name: added(f"{at[name]}{p}" for p in members) for name in INPUTS}
        for name, formula in formulas.items():
            if row[name] is not None:
                shown = "number" if name.endswith("epochs") else "money"
                book.cell(sheet, n - 1, by_place[name], row[name], shown, formula)
    sheet.autofilter(FIRST - 2, 0, FIRST - 2 + len(rows), len(columns) - 1)
    sheet.print_area(0, 0, FIRST - 2 + len(rows), len(columns) - 1)
    return places


def _member(who: str, month: str, row: Row) -> bool:
    return who != PORTFOLIO and month == row["month"]


def _follows(row: Row) -> bool:
    """Whether its cumulative net follows from the row above; not where that one is unknown."""
    return row["other_change"] is not None


def _cumulative(at: Mapping[str, str], n: int, opens: bool) -> str:
    """The row above, plus what came, less what was spent."""
    own = [at[name] + f"{n}" for name in ("net_saving", "adjustments", "other_change")]
    spent = f"{at['investment']}{n}"
    opening = [] if opens else [f"{at['cumulative_net']}{n - 1}"]
    return known("+".join([*opening, *own]) + f"-{spent}", *opening, *own, spent)


def _with_nobody(history: Sequence[Row]) -> list[Row]:
    """With what of the portfolio is no workload's, as one more, before the portfolio."""
    mine = [row for row in history if row["workload"] != PORTFOLIO]
    whole = [row for row in history if row["workload"] == PORTFOLIO]
    rest, total = [], Decimal(0)
    for row in whole:
        others = [other for other in mine if other["month"] == row["month"]]
        left: dict[str, Decimal] = {name: _left(row, others, name) for name in INPUTS}
        left["gross_saving"] = left["counterfactual"] - left["compared_cost"]
        left["net_saving"] = left["gross_saving"] - left["overhead"]
        total += left["net_saving"] + left["adjustments"] + left["other_change"]
        total -= left["investment"]
        rest.append(row | left | {"workload": NOBODY, "cumulative_net": total})
    return [*mine, *rest, *whole]


def _left(row: Row, others: Sequence[Row], name: str) -> Decimal:
    """0 where the portfolio's own figure is unknown."""
    if row[name] is None:
        return Decimal(0)
    return Decimal(row[name] - sum(other[name] or 0 for other in others))


def _shown(row: Row) -> dict[str, Any]:
    """A row of the history with its month as a number and its costs per epoch."""
    sides = {
        f"{side}_cost_per_epoch": row[f"{side}_cost"] / row[f"{side}_epochs"]
        if row[f"{side}_cost"] is not None and row[f"{side}_epochs"]
        else None
        for side in ("gpu", "trn")
    }
    return {**row, **sides, "period": int(row["month"].replace("-", ""))}


def _head(book: Book, sheet: Worksheet, title: str, paper: Paper) -> None:
    book.head(sheet, f"{title}, {paper.statement.month}", _worth(paper))


def _worth(paper: Paper) -> str:
    basis = paper.statement.facts["basis"]
    return f"{paper.stand}. US dollars, {basis} cost. sha256 {paper.statement.sha256}"


def _summary(book: Book, sheet: Worksheet, paper: Paper, places: Places) -> None:
    """The month, the quarter and the year to date; each cell is one of the sheet of workloads."""
    month = paper.statement.month
    rows = _with_nobody([r for r in paper.statement.tables["history"] if r["month"] == month])
    columns = _flow_columns(Column("workload", "Workload", "text", width=24))
    at, there = letters(columns), letters(_flow_columns(*[Column("", "")] * 3))
    _head(book, sheet, "Savings of training on Trainium", paper)
    book.table(sheet, FIRST - 2, columns, [_shown(row) for row in rows])
    for n, row in enumerate(rows, FIRST):
        place = places[row["workload"], month]
        for name in (*INPUTS, "cumulative_net"):
            value = row[name]
            if name == "cumulative_net" and row["workload"] == NOBODY:
                value = _nobody_total(paper)
            shown = "number" if name.endswith("epochs") else "money"
            link = f"=Workloads!{there[name]}{place}"
            book.cell(sheet, n - 1, list(at).index(name), value, shown, link)
    top = FIRST + len(rows) + 1
    for period, title in (("quarter", "Quarter to date"), ("year", "Year to date")):
        top = _to_date(book, sheet, paper, places, (period, title, top, there))
    top = _stands(book, sheet, paper, top + 1)
    _chart(book, sheet, paper, places, there, top + 1)
    sheet.print_area(0, 0, top + 22, len(columns) - 1)


STANDS = {
    "workload": (0, "Where each stands"),
    "status": (1, "Status"),
    "parity": (3, "Quality parity"),
    "comparability": (5, "Compared"),
    "settled_through": (7, "Settled through"),
    "left_out": (8, "Left out"),
    "flagged": (13, "Counted with a flag"),
}
"""What no figure says, and the column it stands in: each has room for its words."""


def _stands(book: Book, sheet: Worksheet, paper: Paper, top: int) -> int:
    """A block of words on each workload; returns the row after it, from 0."""
    rows = paper.statement.tables["summary"]
    for place, title in STANDS.values():
        book.cell(sheet, top, place, title, "head")
    for n, row in enumerate(rows, top + 1):
        for name, (place, _) in STANDS.items():
            said = row[name] if name == "workload" else _words(row[name])
            book.cell(sheet, n, place, said, "text")
    return top + len(rows) + 2


def _words(said: Any) -> str:  # noqa: ANN401 - a name, a day, or dollars by reason
    if isinstance(said, Mapping):
        told = sorted(said.items())
        return ", ".join(f"{why.replace('_', ' ')} {dollars(amount)}" for why, amount in told)
    return "" if said is None else f"{said}".replace("_", " ")


def _nobody_total(paper: Paper) -> Decimal:
    rows = _with_nobody(paper.statement.tables["history"])
    return Decimal([row["cumulative_net"] for row in rows if row["workload"] == NOBODY][-1])


def _to_date(
    book: Book,
    sheet: Worksheet,
    paper: Paper,
    places: Places,
    what: tuple[str, str, int, Mapping[str, str]],
) -> int:
    """A block of sums over the months of a fiscal period; returns the row after it, from 0."""
    period, title, top, there = what
    facts = paper.statement.facts
    rows = [row for row in paper.statement.tables["to_date"] if row["period"] == period]
    called = facts["fiscal_year"] if period == "year" else facts["fiscal_quarter"]
    since = rows[0]["since"] if rows else paper.statement.month
    columns = _flow_columns(Column("workload", f"{title} ({called}, since {since})", "text"))
    columns = [c for c in columns if c.name not in ("other_change", "cumulative_net")]
    at = letters(columns)
    book.table(sheet, top, [Column(c.name, c.title, c.shown, width=c.width) for c in columns], [])
    for n, row in enumerate(rows, top + 2):
        mine = [
            place
            for (who, month), place in places.items()
            if who == row["workload"] and since <= month <= paper.statement.month
        ]
        held = _shown(row | {"month": paper.statement.month})
        for place, column in enumerate(columns):
            formula = _of_period(column.name, at, there, mine, n)
            book.cell(sheet, n - 1, place, held.get(column.name), column.shown, formula)
    return top + len(rows) + 2


def _of_period(
    name: str, at: Mapping[str, str], there: Mapping[str, str], mine: list[int], n: int
) -> str | None:
    if name == "workload" or not mine:
        return None
    if name.endswith("per_epoch"):
        return _per(at, name[:3], n)
    cells = f"Workloads!{there[name]}{min(mine)}:{there[name]}{max(mine)}"
    return f'=IF(COUNT({cells})<{len(mine)},"unknown",SUM({cells}))'


def _chart(
    book: Book, sheet: Worksheet, paper: Paper, places: Places, there: Mapping[str, str], top: int
) -> None:
    """Cumulative net of the portfolio, month by month."""
    mine = [place for (who, _), place in places.items() if who == PORTFOLIO]
    column, month = there["cumulative_net"], "B"
    chart = book.workbook.add_chart({"type": "line"})
    chart.add_series(
        {
            "name": "Cumulative net",
            "categories": f"=Workloads!${month}${min(mine)}:${month}${max(mine)}",
            "values": f"=Workloads!${column}${min(mine)}:${column}${max(mine)}",
            "line": {"color": "#0072B2", "width": 2.25},
            "marker": {"type": "circle", "size": 5},
        }
    )
    chart.set_title({"name": "Cumulative net saving, US dollars", "name_font": {"size": 12}})
    chart.set_legend({"none": True})
    chart.set_y_axis({"num_format": "#,##0", "major_gridlines": {"visible": True}})
    chart.set_x_axis({"num_format": "0000-00", "label_position": "low"})
    chart.set_size({"width": 900, "height": 340})
    sheet.insert_chart(top, 0, chart)


def _runs(book: Book, paper: Paper) -> None:
    parts = ("accelerator_cost", "storage_cost", "network_cost", "other_cost")
    first = [
        Column("workload", "Workload", "text", width=24),
        Column("run", "Run", "text", width=24),
        Column("hardware", "Hardware", "text"),
        Column("purpose", "Purpose", "text"),
        Column("accelerator_hours", "Accelerator-hours", "number"),
        Column("epochs", "Epochs", "number"),
        Column("accelerator_cost", "Accelerators"),
        Column("storage_cost", "Storage"),
        Column("network_cost", "Network"),
        Column("other_cost", "Other"),
    ]
    at = letters(first)
    cells = [at[name] for name in parts]
    columns = [
        *first,
        Column("cost", "Cost", formula=lambda n: _all([f"{c}{n}" for c in cells])),
        Column("unsettled", "Not settled yet"),
        Column("parity", "Parity", "text"),
        Column("comparability", "Comparability", "text"),
    ]
    rows = [dict(row) for row in paper.statement.tables["runs"]]
    totals = ("accelerator_hours", "epochs", *parts, "cost", "unsettled")
    _totalled(book, paper, ("Runs", "What each run cost in the month"), columns, rows, totals)


def _all(cells: Sequence[str]) -> str:
    return known("+".join(cells), *cells)


def _totalled(
    book: Book,
    paper: Paper,
    called: tuple[str, str],
    columns: Sequence[Column],
    rows: Sequence[Row],
    totals: Sequence[str],
) -> None:
    """A sheet of rows with their sums below."""
    name, title = called
    sheet = book.sheet(name, frozen=(FIRST - 1, 2))
    _head(book, sheet, title, paper)
    book.table(sheet, FIRST - 2, columns, rows)
    last = FIRST - 1 + len(rows)
    at = letters(columns)
    book.cell(sheet, last, 0, "Total", "head")
    for total in totals:
        values = [row[total] for row in rows if row[total] is not None]
        cells = f"{at[total]}{FIRST}:{at[total]}{last}"
        formula = f"=SUM({cells})" if rows else "=0"
        place = list(at).index(total)
        book.cell(sheet, last, place, sum(values, Decimal(0)), "total", formula)
    sheet.print_area(0, 0, last, len(columns) - 1)


def _tie_out(book: Book, paper: Paper) -> None:
    first = [
        Column("account", "Account", "text"),
        Column("basis", "Basis", "text", width=10),
        Column("billing_account", "Billing account", "text"),
        *(Column(name, name.replace("_", " ").capitalize()) for name in BUCKETS),
    ]
    at = letters(first)
    low, high = at[BUCKETS[0]], at[BUCKETS[-1]]
    columns = [
        *first,
        Column("held", "In the buckets", formula=lambda n: f"=SUM({low}{n}:{high}{n})"),
        Column("bill_total", "The bill"),
        Column("block_spread", "Capacity Blocks, from or to other months"),
        Column("remainder", "Remainder"),
        Column("bridge", "Bridge, billed to effective"),
        Column("total_source", "The bill is told by", "text"),
    ]
    at = letters(columns)
    left = {name: at[name] for name in ("held", "bill_total", "block_spread")}
    columns = [
        Column(c.name, c.title, c.shown, lambda n: _remains(left, n), c.width)
        if c.name == "remainder"
        else c
        for c in columns
    ]
    rows = [
        row | {"held": sum((row[name] for name in BUCKETS), Decimal(0))}
        for row in paper.statement.tables["tie_out"]
    ]
    _totalled(book, paper, ("Tie-out", "Every cent of the bill"), columns, rows, ())


def _remains(at: Mapping[str, str], n: int) -> str:
    return f"={at['bill_total']}{n}+{at['block_spread']}{n}-{at['held']}{n}"


def _adjustments(book: Book, paper: Paper) -> None:
    first = [
        Column("month", "Closed month", "text"),
        Column("whose", "Whose", "text", width=30),
        Column("measure", "Figure", "text", width=18),
        Column("version", "Version", "number", width=9),
        Column("now", "As computed now"),
        Column("closed", "As closed"),
        Column("adjusted_before", "Adjusted before"),
        Column("amount", "Adjustment", formula=lambda n: known(f"E{n}-SUM(F{n}:G{n})", f"E{n}")),
        Column("cause", "Cause", "long", width=70),
    ]
    rows = [
        row | {"whose": row["workload"] or f"{row['account'] or 'no account'} {row['basis']}"}
        for row in paper.statement.tables["adjustments"]
    ]
    title = "What became of closed months"
    _totalled(book, paper, ("Adjustments", title), first, rows, ())


def _method(book: Book, paper: Paper) -> None:
    """What the figures rest on: facts, baselines, deliveries, and what each word means."""
    sheet = book.sheet("Method", frozen=(FIRST - 1, 1))
    _head(book, sheet, "What it rests on", paper)
    sheet.set_column(0, 0, 30)
    sheet.set_column(1, 1, 110)
    rows = [*_facts(paper), *_reasons(paper), *_inputs(paper), *MEANING.items()]
    for n, (name, said) in enumerate(rows, FIRST - 1):
        book.cell(sheet, n, 0, name, "text")
        book.cell(sheet, n, 1, said, "long")
    sheet.print_area(0, 0, FIRST - 1 + len(rows), 1)


def _facts(paper: Paper) -> list[tuple[str, str]]:
    facts = [(name.replace("_", " "), said or "") for name, said in paper.statement.facts.items()]
    close = paper.close
    if close is None:
        return facts
    named = [("closed by", close.closed_by), ("closed at", close.closed_at)]
    named += [("reopened because", close.reason)] if close.reason else []
    named += [("condition", " ".join(note.split())) for note in close.notes]
    return [*facts, *named]


def _reasons(paper: Paper) -> list[tuple[str, str]]:
    """What is left out and what is flagged, in dollars; how each baseline came about."""
    said = [
        (f"{title} ({row['workload']})", f"{reason.replace('_', ' ')}: {dollars(amount)}")
        for row in paper.statement.tables["summary"]
        for name, title in (("left_out", "not counted"), ("flagged", "counted with a flag"))
        for reason, amount in sorted((row[name] or {}).items())
    ]
    return said + [
        (f"baseline of {whole_name(row)}", f"{row['reason']} ({row['method']}, {row['date']})")
        for row in paper.statement.tables["baselines"]
    ]


def _inputs(paper: Paper) -> list[tuple[str, str]]:
    deliveries = paper.close.deliveries if paper.close else ()
    return [
        (f"delivery of {one['source']}", f"{one['unit']} {one['period']}: {one['fingerprint']}")
        for one in deliveries
    ]
