"""Typesets the statement as a PDF of two pages for a CFO, with Typst."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from models.contract.schema import PORTFOLIO
from models.documents.paper import Paper
from models.documents.pdf.basis import basis_lines
from models.documents.pdf.closed_months import adjustment_table
from models.documents.pdf.curve import curve
from models.documents.pdf.figures import BESIDES, FIGURES, period_table, tiles, workload_table
from models.documents.pdf.left_out import left_out_lines, unknown_lines
from models.documents.pdf.tie_out import bucket_lines, effective_remainder, tie_out_table
from models.documents.spreadsheet_text import plain
from models.documents.wording import reservation, sentence

TEMPLATE = Path(__file__).with_name("statement.typ")


def document(paper: Paper) -> bytes:
    """Typesets the statement of a month as the bytes of a PDF; equal ones give equal bytes."""
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
    stand = "" if paper.close else "draft "
    tied = paper.statement.tables["tie_out"]
    return {
        "title": f"Savings of training on Trainium, {paper.statement.month}",
        "status_line": plain(paper.status_line),
        "sentence": sentence(paper.statement.month, whole),
        "reservation": " ".join(filter(None, (paper.waiting.text, reservation(whole)))),
        "tiles": tiles(whole),
        "curve": curve(paper.statement.tables["curve"]),
        "no_curve": "There are not two settled weeks to draw.",
        "workloads": workload_table(paper.statement, FIGURES),
        "besides": workload_table(paper.statement, BESIDES),
        "periods": period_table(paper),
        "tied": tie_out_table(tied),
        "buckets": [*bucket_lines(tied), *effective_remainder(tied)],
        "moved": adjustment_table(paper.statement.tables["adjustments"]),
        "aside": [
            *left_out_lines(paper.statement.tables["summary"]),
            *unknown_lines(paper.statement),
        ],
        "facts": basis_lines(paper),
        "footer": f"{paper.statement.month} {stand}sha256 {paper.statement.sha256}",
        "signed_by": ["Prepared", "Approved"] if paper.close else [],
    }
