"""Formats as code the commands that a sentence names in `backticks`."""

from __future__ import annotations

from dash import html
from dash.development.base_component import Component


def with_commands(sentence: str) -> list[Component | str]:
    """Returns a sentence's parts: text, and as code what stood between two backticks."""
    parts = sentence.split("`")
    if len(parts) % 2 == 0:  # a backtick without its partner, such as in what AWS answered
        return [sentence]
    return [html.Code(part) if place % 2 else part for place, part in enumerate(parts) if part]
