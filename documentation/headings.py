"""Reads the headings of a page and their anchors, as code hosts and the site make them."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

from documentation.markdown_dialect import parser


def slug(title: str) -> str:
    """Returns the anchor of a heading, made from its text."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def headings(page: Path) -> list[str]:
    """Returns the text of each heading of a page, in order."""
    tokens = parser().parse(page.read_text(encoding="utf-8"))
    return [text.content for token, text in pairwise(tokens) if token.type == "heading_open"]
