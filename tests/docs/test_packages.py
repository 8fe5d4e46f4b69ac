"""Each package says what comes in, what goes out, and which chapter it belongs to."""

from __future__ import annotations

import ast
import re

import pytest

from tests.docs.test_links import ROOT, tracked

IN = re.compile(r"\b(In|In come|In comes|Input):?\s")
OUT = re.compile(r"\b(Out|Output):|\b[Oo]ut\s(go|goes|come|comes)\s")
CHAPTER = re.compile(r"METHOD|docs/(architecture|operations/[\w-]+)\.md")
PACKAGES = ("breakeven", "models", "ingest", "dashboard", "data")


def missing(text: str) -> list[str]:
    """The parts that the docstring of a package lacks."""
    parts = {"in": IN, "out": OUT, "chapter": CHAPTER}
    return [name for name, pattern in parts.items() if not pattern.search(text)]


def test_every_package_says_what_comes_in_goes_out_and_its_chapter() -> None:
    files = [file for name in PACKAGES for file in tracked(f"{name}/*__init__.py")]
    assert len(files) > 80
    texts = {file: ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) for file in files}
    lacking = {
        str(file.relative_to(ROOT)): parts
        for file, text in texts.items()
        if (parts := missing(text or ""))
    }
    assert lacking == {}


def test_a_package_of_code_has_the_file_that_says_so() -> None:
    """The folders of `data` that hold scripts are no packages."""
    folders = {file.parent for name in PACKAGES for file in tracked(f"{name}/*.py")}
    bare = {str(f.relative_to(ROOT)) for f in folders if not (f / "__init__.py").is_file()}
    assert bare == {"data", "data/company", "data/sample"}


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", ["in", "out", "chapter"]),
        ("Holds marts.", ["in", "out", "chapter"]),
        ("In: rows. Out: figures.", ["chapter"]),
        ("In come rows; out go figures. METHOD §2.", []),
    ],
)
def test_what_a_docstring_lacks(text: str, parts: list[str]) -> None:
    assert missing(text) == parts
