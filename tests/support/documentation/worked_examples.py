"""Examples on a page of documentation: files to build a world from, and questions to ask it.

An example is a heading with fenced blocks under it. A block whose info string is
`<language> <file>` is a file of the example; an `sql` block is a question, and the table that
follows is the answer. An example that "Starts from [another](#its-heading)" has the other's files
first: its own rows and lines are added to them, or with `replaces` stand in their place.
"""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

NUMBERED = re.compile(r"^(\d+(?:\.\d+)?)\.? ")
STARTS_FROM = re.compile(r"^Starts from \[[^\]]+\]\(#([^)]+)\)")


@dataclass
class Question:
    """A query on the published snapshot and the rows that the page shows for it, as text."""

    sql: str
    columns: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)


@dataclass
class Example:
    """A heading of the page with its files and its questions."""

    title: str
    files: dict[str, str] = field(default_factory=dict)
    questions: list[Question] = field(default_factory=list)


def slug(title: str) -> str:
    """The anchor of a heading, as code hosts make it."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def parser() -> MarkdownIt:
    """CommonMark with tables."""
    return MarkdownIt("commonmark").enable("table")


def headings(page: Path) -> list[str]:
    """The text of each heading, in order."""
    tokens = parser().parse(page.read_text(encoding="utf-8"))
    pairs = pairwise(tokens)
    return [text.content for token, text in pairs if token.type == "heading_open"]


def section_numbers(folder: Path) -> set[str]:
    """The numbers of the sections on the pages of a folder, as their headings have them."""
    titles = (title for page in folder.glob("*.md") for title in headings(page))
    return {match[1] for title in titles if (match := NUMBERED.match(title))}


def examples(page: Path) -> list[Example]:
    """The examples of a page that ask something, in order."""
    found: dict[str, Example] = {}
    tokens = parser().parse(page.read_text(encoding="utf-8"))
    for number, token in enumerate(tokens):
        if token.type == "heading_open":
            title = tokens[number + 1].content
            example = found[slug(title)] = Example(title)
        elif token.type == "inline" and (base := STARTS_FROM.match(token.content)):
            example.files = dict(found[base[1]].files)
        elif token.type == "fence":
            _block(example, token)
        elif token.type == "table_open":
            _answer(example, tokens, number)
    return [example for example in found.values() if example.questions]


def _block(example: Example, token: Token) -> None:
    language, _, rest = token.info.strip().partition(" ")
    if language == "sql":
        example.questions.append(Question(token.content))
    elif rest:
        name, _, how = rest.partition(" ")
        before = "" if how == "replaces" else example.files.get(name, "")
        example.files[name] = _joined(before, token.content, name)


def _joined(before: str, text: str, name: str) -> str:
    """Rows below rows, under the columns of either; a config below a config."""
    if not before:
        return text
    if not name.endswith(".csv"):
        return f"{before}\n{text}"
    rows = [row for part in (before, text) for row in csv.DictReader(io.StringIO(part))]
    columns = list(dict.fromkeys(column for row in rows for column in row))
    joined = io.StringIO()
    writer = csv.DictWriter(joined, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return joined.getvalue()


def _answer(example: Example, tokens: list[Token], start: int) -> None:
    if not example.questions or example.questions[-1].columns:
        return
    rows: list[list[str]] = []
    for token in tokens[start:]:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            rows[-1].append(token.content)
        elif token.type == "table_close":
            break
    example.questions[-1].columns, example.questions[-1].rows = rows[0], rows[1:]
