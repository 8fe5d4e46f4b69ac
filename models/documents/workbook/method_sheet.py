"""Adds the workbook's last sheet: facts, baselines, deliveries, and what each term means."""

from __future__ import annotations

from models.contract.decimal_text import dollars
from models.documents.meanings import MEANING
from models.documents.paper import Paper
from models.documents.workbook.book import FIRST, Book
from models.documents.workbook.sheet_heads import write_head
from models.records.statement import whole_name


def method_sheet(book: Book, paper: Paper) -> None:
    """Adds the workbook sheet on how figures were computed: facts, baselines, deliveries, terms."""
    sheet = book.sheet("Method", frozen=(FIRST - 1, 1))
    write_head(book, sheet, "How it was computed", paper)
    sheet.set_column(0, 0, 30)
    sheet.set_column(1, 1, 110)
    rows = [*_facts(paper), *_reasons(paper), *_inputs(paper), *MEANING.items()]
    for n, (name, text) in enumerate(rows, FIRST - 1):
        book.cell(sheet, n, 0, name, "text")
        book.cell(sheet, n, 1, text, "long")
    sheet.print_area(0, 0, FIRST - 1 + len(rows), 1)


def _facts(paper: Paper) -> list[tuple[str, str]]:
    facts = [(name.replace("_", " "), text or "") for name, text in paper.statement.facts.items()]
    close = paper.close
    if close is None:
        return facts
    named = [("closed by", close.closed_by), ("closed at", close.closed_at)]
    named += [("reopened because", close.reason)] if close.reason else []
    named += [("condition", " ".join(note.split())) for note in close.notes]
    return [*facts, *named]


def _reasons(paper: Paper) -> list[tuple[str, str]]:
    """Lists (title, text) of dollars left out or flagged, and of each GPU baseline's reason."""
    text = [
        (f"{title} ({row['workload']})", f"{reason.replace('_', ' ')}: {dollars(amount)}")
        for row in paper.statement.tables["summary"]
        for name, title in (("left_out", "not counted"), ("flagged", "counted with a flag"))
        for reason, amount in sorted((row[name] or {}).items())
    ]
    return text + [
        (f"baseline of {whole_name(row)}", f"{row['reason']} ({row['method']}, {row['date']})")
        for row in paper.statement.tables["baselines"]
    ]


def _inputs(paper: Paper) -> list[tuple[str, str]]:
    deliveries = paper.close.deliveries if paper.close else ()
    return [
        (f"delivery of {one['source']}", f"{one['unit']} {one['period']}: {one['fingerprint']}")
        for one in deliveries
    ]
