"""Pages are written in CommonMark; the site generator reads another dialect."""

from __future__ import annotations

import markdown
import pytest

from documentation.markdown_dialect import for_the_site


def shown(text: str) -> str:
    extensions = ["tables", "pymdownx.superfences"]
    return "".join(markdown.markdown(for_the_site(text), extensions=extensions).split())


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


def test_a_block_of_code_keeps_its_own_indentation() -> None:
    text = "```python\ndef a():\n  - 1\n```\n"
    assert for_the_site(text) == text
