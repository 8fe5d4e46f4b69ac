"""Words in a figure."""

from __future__ import annotations

from html import escape


def escaped(text: str) -> str:
    """As Plotly reads it: markup is text, and it knows no entity of a quotation mark."""
    return escape(text, quote=False)
