"""`make docs`: every page is in the site, and the site loads nothing from the network."""

from __future__ import annotations

import re
import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect

from documentation.site import CONFIG, DOCS, build, generate, staged_path

LOADED = re.compile(
    r"""<(?:script|link|img|iframe|source|video|audio|object|embed)\b[^>]*?(?:src|href|data)=["']?"""
    r"""((?:https?:)?//[^\s"'>]+)"""
)
IN_STYLES = re.compile(r"""(?:url\(|@import)\s*["']?((?:https?:)?//[^\s"')]+)""")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("documentation")
    build(folder)
    return folder


def nav_pages(entry: Any) -> Iterator[str]:  # noqa: ANN401 - as TOML has it
    if isinstance(entry, str):
        yield entry
    else:
        for each in entry.values() if isinstance(entry, dict) else entry:
            yield from nav_pages(each)


def test_every_page_is_in_the_navigation_once() -> None:
    named = sorted(nav_pages(tomllib.loads(CONFIG.read_text(encoding="utf-8"))["project"]["nav"]))
    assert named == sorted(str(staged_path(page)) for page in DOCS.rglob("*.md"))


def test_every_page_is_built(folder: Path) -> None:
    wanted = {staged_path(page).with_suffix(".html") for page in DOCS.rglob("*.md")}
    assert {page for page in wanted if not (folder / "site" / page).is_file()} == set()


def test_nothing_is_loaded_from_the_network(folder: Path) -> None:
    site = folder / "site"
    pages = {
        page: LOADED.findall(page.read_text(encoding="utf-8")) for page in site.rglob("*.html")
    }
    styles = {each: IN_STYLES.findall(each.read_text("utf-8")) for each in site.rglob("*.css")}
    assert len(pages) > 100
    assert styles
    assert {page.name: found for page, found in (pages | styles).items() if found} == {}


@pytest.mark.parametrize(
    "html",
    [
        '<script defer src="https://cdn.example/x.js">',
        "<link rel=stylesheet href=//cdn.example/x.css>",
        "<style>@import 'https://cdn.example/x.css'</style>",
        "<style>a {background: url(//cdn.example/x.png)}</style>",
    ],
)
def test_a_load_from_the_network_would_be_seen(html: str) -> None:
    assert len(LOADED.findall(html) + IN_STYLES.findall(html)) == 1


def test_a_link_to_a_missing_heading_ends_the_build(folder: Path, tmp_path: Path) -> None:
    """Every page of `docs/` is there, with a heading alone; one links to a heading that is not."""
    broken = tmp_path / "broken"
    shutil.copytree(folder / "docs", broken / "docs", ignore=shutil.ignore_patterns("source"))
    for page in broken.rglob("*.md"):
        page.write_text("# 2. A page\n", encoding="utf-8")
    link = "[nowhere](method/2-cost.md#2-nowhere)"
    (broken / "docs" / "index.md").write_text(f"# Pages\n\n{link}\n", encoding="utf-8")
    with pytest.raises(SystemExit, match="anchor does not exist"):
        generate(broken)


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_of_the_reference_shuts_nobody_out(
    folder: Path, chromium: Browser, scheme: Literal["light", "dark"]
) -> None:
    """Among else, the page one reads stands out in a colour that can be read."""
    page = chromium.new_page(color_scheme=scheme)
    page.goto((folder / "site" / "reference" / "errors.html").as_uri())
    expect(page.locator(".md-nav__link--active").first).to_be_attached()
    assert Axe().run(page).response["violations"] == []
    page.close()


@pytest.mark.browser
def test_its_search_works_from_a_folder_without_a_network(folder: Path, chromium: Browser) -> None:
    page = chromium.new_page()
    requested: list[str] = []
    page.on("request", lambda request: requested.append(request.url))
    page.goto((folder / "site" / "index.html").as_uri())
    page.keyboard.press("/")
    page.keyboard.type("restatement")
    expect(page.get_by_role("option", name="restatements").first).to_be_visible()
    page.close()
    assert [url for url in requested if not url.startswith(("file:", "data:", "blob:"))] == []
