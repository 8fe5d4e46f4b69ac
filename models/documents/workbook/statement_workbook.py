"""Writes the statement as a workbook that an auditor can follow cell by cell.

Every saving, subtotal, cost per epoch and cumulative figure is a live formula over the cells it
comes from, and carries our own value: they must agree. Nothing in it depends on when it is written.
"""

from __future__ import annotations

import io

from xlsxwriter import Workbook

from models.documents.paper import Paper
from models.documents.workbook.baseline_sheets import baseline_sheets
from models.documents.workbook.book import FIRST, Book
from models.documents.workbook.method_sheet import method_sheet
from models.documents.workbook.sheet_heads import provenance
from models.documents.workbook.summary_sheet import summary_sheet
from models.documents.workbook.totalled_sheets import adjustments_sheet, runs_sheet, tie_out_sheet
from models.documents.workbook.workloads_sheet import workloads_sheet


def workbook(paper: Paper) -> bytes:
    """Returns the statement of a month as the bytes of an Excel workbook."""
    buffer = io.BytesIO()
    with Workbook(buffer, {"in_memory": True}) as made:
        made.set_properties({"title": f"Savings {paper.statement.month}", "created": paper.dated})
        book = Book(made)
        summary = book.sheet("Summary", frozen=(FIRST - 1, 1))
        months = workloads_sheet(book, paper)
        summary_sheet(book, summary, paper, months)
        runs_sheet(book, paper)
        baseline_sheets(book, paper, provenance(paper))
        tie_out_sheet(book, paper)
        adjustments_sheet(book, paper)
        method_sheet(book, paper)
    return buffer.getvalue()
