"""Builds `aria-*` and `data-*` HTML attributes, whose names are not Python identifiers."""

from __future__ import annotations

from typing import Any


def aria(**values: str) -> dict[str, Any]:
    """Builds HTML `aria-*` attributes: `aria(label="Pages")` for `aria-label="Pages"`."""
    return {f"aria-{name}": value for name, value in values.items()}


def data(**values: str) -> dict[str, Any]:
    """Builds HTML `data-*` attributes: `data(key="sql")` for `data-key="sql"`."""
    return {f"data-{name}": value for name, value in values.items()}
