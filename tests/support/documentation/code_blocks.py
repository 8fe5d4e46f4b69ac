"""Code blocks of a page of documentation, and what each is: a file, a config, or commands.

A block is an excerpt of something else (AWS's command line, a proxy, your cluster) if its first
line is a comment that begins with "Excerpt:". Every other block runs in a test.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.documentation.worked_examples import parser

VARIABLE = re.compile(r"[A-Z_]+=")
EXCERPT = re.compile(r"\s*#\s*Excerpt: \w")


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, the file that it is (or ""), its text, and its first line."""

    page: Path
    language: str
    file: str
    text: str
    line: int

    @property
    def is_excerpt(self) -> bool:
        return bool(EXCERPT.match(self.text))

    @property
    def commands(self) -> list[list[str]]:
        """The words of each command, without comments and without variables set before it."""
        lines = self.text.replace("\\\n", " ").replace("&&", "\n").splitlines()
        split = (shlex.split(line, comments=True) for line in lines)
        return [words[VARIABLE.match(words[0]) is not None :] for words in split if words]

    @property
    def commands_of_ours(self) -> list[list[str]]:
        """The commands of a block of shell; none of any other block."""
        return self.commands if self.language == "sh" else []


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page, in order."""
    found = []
    for token in parser().parse(page.read_text(encoding="utf-8")):
        if token.type == "fence" and token.map:
            language, _, file = token.info.strip().partition(" ")
            found.append(Block(page, language, file, token.content, token.map[0] + 1))
    return found


def as_toml(table: Mapping[str, Any]) -> str:
    """A config as text: keys, then tables, then lists of tables."""
    lines: list[str] = []
    listed = {key: each for key, each in table.items() if _is_listed(each)}
    lines += [f"{key} = {_value(each)}" for key, each in table.items() if key not in listed]
    for key, entries in listed.items():
        for entry in entries:
            lines += [f"[[{key}]]", *(f"{inner} = {_value(each)}" for inner, each in entry.items())]
    return "\n".join(lines) + "\n"


def _is_listed(value: object) -> bool:
    return isinstance(value, list) and any(isinstance(each, dict) for each in value)


def _value(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f'"{key}" = {_value(each)}' for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    return json.dumps(value) if isinstance(value, str | bool | int) else str(value)
