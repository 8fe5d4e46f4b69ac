"""What a component says, read as a person would: its text, in order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def text(component: Any) -> str:  # noqa: ANN401  # children may be anything
    """All words of a component tree, separated by single spaces."""
    return " ".join(" ".join(_words(component)).split())


def _words(node: Any) -> Iterator[str]:  # noqa: ANN401
    if isinstance(node, str | int | float):
        yield str(node)
    elif isinstance(node, list | tuple):
        for child in node:
            yield from _words(child)
    elif isinstance(node, dict):
        yield from _words(node.get("props", {}).get("children"))
    elif node is not None:
        yield from _words(getattr(node, "children", None))
