"""The two lines at the head of every sheet: what it is about, and what it rests on."""

from __future__ import annotations

from xlsxwriter.worksheet import Worksheet

from models.documents.paper import Paper
from models.documents.workbook.book import Book


def write_head(book: Book, sheet: Worksheet, title: str, paper: Paper) -> None:
    """Writes a sheet's title and month; below them draft or version, currency, basis, SHA-256."""
    book.head(sheet, f"{title}, {paper.statement.month}", provenance(paper))


def provenance(paper: Paper) -> str:
    """Says what the statement is: draft or version, currency, basis and SHA-256."""
    basis = paper.statement.facts["basis"]
    return f"{paper.stand}. US dollars, {basis} cost. sha256 {paper.statement.sha256}"
