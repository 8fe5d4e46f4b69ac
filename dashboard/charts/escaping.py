"""Escapes names for Plotly, which reads the text of a figure as markup."""

from __future__ import annotations

from html import escape


def escaped(text: str) -> str:
    """Escapes `&`, `<` and `>` in text for Plotly, which reads it as markup; quotes stay."""
    return escape(text, quote=False)
