"""Adds the workbook sheets of runs, with sums below, of the tie-out and of adjustments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

from models.contract.bill_totals import compared_with
from models.contract.units import EPOCH, plural, shared
from models.documents.paper import Paper
from models.documents.wording import plain_cause
from models.documents.workbook.book import FIRST, UNKNOWN, Book, Column, known, letters
from models.documents.workbook.sheet_heads import write_head
from models.records.columns import BUCKETS, in_buckets
from models.records.statement import Row

ADDED_AS_KNOWN = ("accelerator_hours", "epochs")
"""A run without any has none: null is no unknown amount there."""


def runs_sheet(book: Book, paper: Paper) -> None:
    """Adds the workbook sheet of what each run cost in the month, with totals below."""
    parts = ("accelerator_cost", "storage_cost", "network_cost", "other_cost")
    rows = [dict(row) for row in paper.statement.tables["runs"]]
    unit = shared(row["unit"] or EPOCH for row in rows)
    first = [
        Column("workload", "Workload", "text", width=24),
        Column("run", "Run", "text", width=24),
        Column("hardware", "Hardware", "text"),
        Column("purpose", "Purpose", "text"),
        Column("accelerator_hours", "Accelerator-hours", "number"),
        Column("epochs", plural(unit).capitalize(), "number"),
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
    work = ("epochs",) if unit else ()
    totals = ("accelerator_hours", *work, *parts, "cost", "unsettled")
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
    """Adds a workbook sheet of rows with the sums of some columns below."""
    name, title = called
    sheet = book.sheet(name, frozen=(FIRST - 1, 2))
    write_head(book, sheet, title, paper)
    book.table(sheet, FIRST - 2, columns, rows)
    last = FIRST - 1 + len(rows)
    at = letters(columns)
    if totals:
        book.cell(sheet, last, 0, "Total", "head")
    for total in totals:
        cells = f"{at[total]}{FIRST}:{at[total]}{last}"
        value, formula = _total(total, rows, cells)
        book.cell(sheet, last, list(at).index(total), value, "total", formula)
    sheet.print_area(0, 0, last, len(columns) - 1)


def _total(name: str, rows: Sequence[Row], cells: str) -> tuple[Decimal | None, str]:
    """Returns a column's sum and its formula; a dollar column is unknown if one of its rows is."""
    values = [row[name] for row in rows if row[name] is not None]
    whole = sum(values, Decimal(0))
    if not rows or name in ADDED_AS_KNOWN:
        return whole, f"=SUM({cells})" if rows else "=0"
    known_all = len(values) == len(rows)
    return whole if known_all else None, f'=IF(COUNT({cells})<{len(rows)},"{UNKNOWN}",SUM({cells}))'


def tie_out_sheet(book: Book, paper: Paper) -> None:
    """Adds the workbook sheet that compares bill and cost buckets, by account and cost basis."""
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
        Column("total_source", "The bill comes from", "text"),
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
        row | {"held": in_buckets(row), "total_source": compared_with(row["total_source"])}
        for row in paper.statement.tables["tie_out"]
    ]
    _totalled(book, paper, ("Tie-out", "Every cent of the bill"), columns, rows, ())


def _remains(at: Mapping[str, str], n: int) -> str:
    return f"={at['bill_total']}{n}+{at['block_spread']}{n}-{at['held']}{n}"


def adjustments_sheet(book: Book, paper: Paper) -> None:
    """Adds the workbook sheet of adjustments to closed months."""
    first = [
        Column("month", "Closed month", "text"),
        Column("whose", "Whose", "text", width=30),
        Column("measure", "Figure", "text", width=18),
        Column("version", "Version", "number", width=9),
        Column("now", "As computed now"),
        Column("closed", "As closed"),
        Column("adjusted_before", "Adjusted before"),
        Column("amount", "Adjustment", formula=lambda n: known(f"E{n}-SUM(F{n}:G{n})", f"E{n}")),
        Column("changed_by", "Changed by", "text"),
        Column("cause", "Cause", "long", width=70),
    ]
    rows = [
        row
        | {
            "whose": row["workload"] or f"{row['account'] or 'no account'} {row['basis']}",
            "cause": plain_cause(row["cause"]),
        }
        for row in paper.statement.tables["adjustments"]
    ]
    title = "What became of closed months"
    _totalled(book, paper, ("Adjustments", title), first, rows, ())
