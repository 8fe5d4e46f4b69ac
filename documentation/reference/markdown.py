"""Writes tables and links of generated pages, and reads the words that the code does not have."""

from __future__ import annotations

import inspect
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "reference"
WORDS = Path(__file__).parents[1] / "words"
GENERATED = "<!-- Written by `make reference` from the code: do not edit. -->"


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> list[str]:
    """Returns the lines of a Markdown table; a bar in a cell is escaped."""
    names = list(head)
    lines = [_row(names), "|---" * len(names) + "|"]
    return [*lines, *(_row(row) for row in rows)]


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(" ".join(cell.split()).replace("|", r"\|") for cell in cells) + " |"


def page(title: str, *parts: Iterable[str]) -> str:
    """Returns a generated page as Markdown: title, notice, and parts."""
    blocks = [[f"# {title}"], [GENERATED], *(list(part) for part in parts)]
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def code(text: object) -> str:
    """Returns a text as inline code; nothing for an empty one."""
    fence = "``" if "`" in f"{text}" else "`"
    inside = f" {text} " if len(fence) > 1 else f"{text}"
    return f"{fence}{inside}{fence}" if f"{text}" else ""


def link(path: Path | str, text: str = "") -> str:
    """Returns a link from a page of the reference to a file of the repository."""
    relative = Path(path).resolve().relative_to(ROOT) if Path(path).is_absolute() else Path(path)
    return f"[{text or relative}](../../{relative})"


def words(name: str) -> Mapping[str, Any]:
    """Returns a TOML file of `documentation/words` as a dict: texts that the code lacks."""
    return tomllib.loads((WORDS / f"{name}.toml").read_text(encoding="utf-8"))


def first_sentence(function: object) -> str:
    """Returns the first line of an object's docstring, unchanged; empty without one."""
    return (inspect.getdoc(function) or "").partition("\n")[0]
