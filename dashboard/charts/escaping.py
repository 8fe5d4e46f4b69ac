"""Escapes names for Plotly, which reads the text of a figure as markup."""

from __future__ import annotations

from html import escape


def escaped(text: str) -> str:
    """Escapes `&`, `<` and `>`; quotation marks stay, because Plotly knows no entity for them."""
    return escape(text, quote=False)
