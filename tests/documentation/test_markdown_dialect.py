"""Pages are written in CommonMark; the site generator reads another dialect."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import markdown
import pytest

from documentation.markdown_dialect import for_the_site, parser
from documentation.site import DOCS

PAGES = sorted(DOCS.rglob("*.md"))
PARTS = re.compile(r"<(li|ol|ul|pre|table|tr|h[1-6]|blockquote)\b")


def markdown_html(text: str) -> str:
    return markdown.markdown(text, extensions=["tables", "pymdownx.superfences"])


def shown(text: str) -> str:
    return "".join(markdown_html(for_the_site(text)).split())


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("1. one\n   - a\n2. two", "<ol><li>one<ul><li>a</li></ul></li><li>two</li></ol>"),
        ("Words:\n- a\n- b", "<p>Words:</p><ul><li>a</li><li>b</li></ul>"),
        ("- a\n  - b\n    - c", "<ul><li>a<ul><li>b<ul><li>c</li></ul></li></ul></li></ul>"),
        ("Words\n| a |\n|---|\n| b |", "<p>Words</p><table>"),
        ("- a\n\n  more of a", "<ul><li><p>a</p><p>moreofa</p></li></ul>"),
    ],
    ids=["nested", "after a paragraph", "three deep", "a table", "two paragraphs"],
)
def test_lists_and_tables_are_shown_as_commonmark_has_them(text: str, html: str) -> None:
    assert html in shown(text)


def test_a_block_of_code_in_a_list_is_in_its_item() -> None:
    html = shown("1. one\n\n   ```sh\n   ls\n   ```\n2. two\n")
    assert html.startswith("<ol><li><p>one</p><div")
    assert html.count("<ol>") == html.count("<pre>") == 1


def test_an_item_after_one_of_two_paragraphs_is_an_item() -> None:
    html = shown("1. one\n\n   more of one\n2. two\n")
    assert html == "<ol><li><p>one</p><p>moreofone</p></li><li><p>two</p></li></ol>"


def test_a_block_of_code_keeps_its_own_indentation() -> None:
    text = "```python\ndef a():\n  - 1\n```\n"
    assert for_the_site(text) == text


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_a_page_has_in_the_site_what_it_has_for_a_code_host(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    ours, theirs = markdown_html(for_the_site(text)), parser().render(text)
    assert Counter(PARTS.findall(ours)) == Counter(PARTS.findall(theirs))
