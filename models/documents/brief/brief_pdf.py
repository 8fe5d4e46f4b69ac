"""Typesets a `Brief` as a PDF of one A4 page, with Typst."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime
from pathlib import Path

TEMPLATE = Path(__file__).with_name("brief.typ")
Lines = Sequence[Sequence[str]]


@dataclass(frozen=True)
class Brief:
    """The contents of a workload's one-page brief: texts, tables of text, and charts as SVG.

    Each `Lines` is a table with names in column 1. `curve` and `cost_curve` are empty where there
    is nothing to draw yet; `curve_note` then says why.
    """

    workload: str
    as_of: date
    standing: str
    question: str
    sentence: str
    warnings: Sequence[str]
    pair: str
    pair_rows: Lines
    cost_curve: str
    cost_note: str
    curve: str
    curve_note: str
    forward: Lines
    left_out: Lines
    basis: Lines
    check: Sequence[str]


def document(brief: Brief) -> bytes:
    """Typesets a brief as the bytes of a PDF of one page; equal briefs give equal bytes."""
    import typst  # ten megabytes that only documents need

    at = datetime.combine(brief.as_of, datetime.min.time(), UTC)
    content: bytes = typst.compile(
        TEMPLATE.read_bytes(),
        format="pdf",
        ignore_system_fonts=True,
        sys_inputs={"data": json.dumps(asdict(brief), default=str)},
        timestamp=int(at.timestamp()),
    )
    return content
