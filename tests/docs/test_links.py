"""Every link of the documentation leads somewhere, and so does every mention of the method."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.support.documentation.worked_examples import headings, parser, section_numbers, slug

ROOT = Path(__file__).parents[2]
MENTIONED = re.compile(r"METHOD §(\d+(?:\.\d+)?)")


def tracked(*patterns: str) -> list[Path]:
    """Files of the checkout that match."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *patterns],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    if listed.returncode:
        pytest.skip("not a git checkout")
    names = listed.stdout.decode().split("\0")
    return [ROOT / name for name in names if name and (ROOT / name).is_file()]


def links(page: Path) -> Iterator[str]:
    """The targets of links and images that stay inside the repository."""
    for token in parser().parse(page.read_text(encoding="utf-8")):
        for child in token.children or []:
            target = child.attrGet("href") or child.attrGet("src")
            if target and not re.match(r"[a-z]+:", str(target)):
                yield str(target)


@cache
def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings; hundreds of links lead to the same few pages."""
    return set(map(slug, headings(page)))


def broken(page: Path) -> Iterator[str]:
    """The links of a page that lead to no file, or to no heading of one."""
    for link in links(page):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            yield f"{page.relative_to(ROOT)}: {link}"


def test_every_link_leads_to_a_file_and_a_heading() -> None:
    assert [link for page in tracked("*.md") for link in broken(page)] == []


def test_every_section_of_the_method_that_the_code_names_is_written() -> None:
    written = section_numbers(ROOT / "docs" / "method")
    missing = {
        f"{file.relative_to(ROOT)}: §{number}"
        for file in tracked("*.py", "*.toml", "README.md")
        for number in MENTIONED.findall(file.read_text(encoding="utf-8"))
        if number not in written
    }
    assert missing == set()


def sections(page: Path) -> dict[str, str]:
    """The numbered sections of a chapter, by heading: what stands below each, subsections too."""
    parts = re.split(r"^## ", page.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return {title: text for title, _, text in (part.partition("\n") for part in parts)}


def test_every_section_of_the_method_links_to_the_code_that_computes_it() -> None:
    pages = sorted((ROOT / "docs" / "method").glob("[0-9]*-*.md"))
    chapters = [page for page in pages if page.name != "8-worked-examples.md"]
    found = {title: text for page in chapters for title, text in sections(page).items()}
    assert len(found) > 40
    assert [title for title, text in found.items() if ".py)" not in text] == []
