"""The two lines at the head of every workbook sheet: its title, and what it rests on."""

from __future__ import annotations

from xlsxwriter.worksheet import Worksheet

from models.documents.paper import Paper
from models.documents.workbook.book import Book


def write_head(book: Book, sheet: Worksheet, title: str, paper: Paper) -> None:
    """Writes a workbook sheet's title and month, and below them what the statement is.

    It is a draft or a version of a close, with its currency, basis and SHA-256.
    """
    book.head(sheet, f"{title}, {paper.statement.month}", provenance(paper))


def provenance(paper: Paper) -> str:
    """Says in one line what a statement is: draft or version, currency, basis and SHA-256."""
    basis = paper.statement.facts["basis"]
    return f"{paper.stand}. US dollars, {basis} cost. sha256 {paper.statement.sha256}"
