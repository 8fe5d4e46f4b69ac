"""Writes the two lines at the top of every workbook sheet: its title, and the statement's state."""

from __future__ import annotations

from xlsxwriter.worksheet import Worksheet

from models.documents.paper import Paper
from models.documents.workbook.book import Book


def write_head(book: Book, sheet: Worksheet, title: str, paper: Paper) -> None:
    """Writes a workbook sheet's title and month, and below: draft or version, basis, SHA-256.

    The currency stands beside the basis.
    """
    book.head(sheet, f"{title}, {paper.statement.month}", provenance(paper))


def provenance(paper: Paper) -> str:
    """Returns one line on a statement: draft or version, currency, basis and SHA-256."""
    basis = paper.statement.facts["basis"]
    return f"{paper.status_line}. US dollars, {basis} cost. sha256 {paper.statement.sha256}"
