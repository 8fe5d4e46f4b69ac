"""Rewrites CommonMark, as the pages are written, into the dialect that the site generator reads.

Python-Markdown wants four columns below a list item where CommonMark wants the width of its marker,
and an empty line before a list or a table that follows a paragraph, after a list item of several
paragraphs, and on either side of a block of code. The name of a block that is a file is its title.
Nothing else differs on our pages, so this is all that is rewritten.
"""

from __future__ import annotations

import re
from collections import Counter

from markdown_it import MarkdownIt

COLUMNS = 4
NAMED_FENCE = re.compile(r"^(\s*`{3,}\w+) (\S+).*$")
"""A block that is a file: its language and name, as in `csv epochs.csv`."""
BLOCKS = ("bullet_list_open", "ordered_list_open", "table_open")
MARKER = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+")


def parser() -> MarkdownIt:
    """Returns a parser of CommonMark with tables, which code hosts show alike."""
    return MarkdownIt("commonmark").enable("table")


def for_the_site(text: str) -> str:
    """Returns Markdown with list items indented by four, and blank lines around lists."""
    lines = [line if line.strip() else "" for line in text.splitlines()]
    deeper: Counter[int] = Counter()
    apart: set[int] = set()
    for token in parser().parse(text):
        if token.map is None:
            continue
        first, end = token.map
        if token.type == "list_item_open" and (marker := MARKER.match(lines[first])):
            below = COLUMNS - _width(lines[first], marker)
            deeper.update(dict.fromkeys(range(first + 1, end), below))
            if "" in lines[first:end]:
                apart.add(end)
        elif token.type in BLOCKS and not token.level:
            apart.add(first)
        elif token.type == "fence":
            apart.update(token.map)
            lines[first] = NAMED_FENCE.sub(r'\1 title="\2"', lines[first])
    return "\n".join(_placed(lines, deeper, apart)) + "\n"


def _width(line: str, marker: re.Match[str]) -> int:
    return marker.end() - (len(line) - len(line.lstrip()))


def _placed(lines: list[str], deeper: Counter[int], apart: set[int]) -> list[str]:
    placed: list[str] = []
    for number, line in enumerate(lines):
        if number in apart and line and lines[number - 1] and number:
            placed.append("")
        placed.append(" " * deeper[number] + line if line else line)
    return placed
