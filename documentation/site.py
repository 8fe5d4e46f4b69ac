"""Builds the site of the documentation in `build/site`, to be read without a network.

The pages of `docs/` are copied to `build/docs`. There two things change: `README.md` is the
index of its folder, and a file of the repository that a page links to becomes a page of its own
below `source/`. So every link of a page leads somewhere, in a code host and in the site. A link or
an anchor that leads nowhere ends the build.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from documentation.markdown_dialect import for_the_site, parser

ROOT = Path(__file__).parents[1]
DOCS, BUILT = ROOT / "docs", ROOT / "build"
CONFIG = Path(__file__).with_name("zensical.toml")
ASSETS = Path(__file__).with_name("assets")
LINK = re.compile(r"(\]\()([^)\s:]+)(\))")
COPIED = {".png", ".svg", ".ipynb"}
LANGUAGES = {".py": "python", ".toml": "toml", ".yaml": "yaml", ".json": "json", ".tf": "hcl"}
HIDDEN_FROM_SEARCH = "---\nsearch:\n  exclude: true\n---\n\n"


def build(folder: Path = BUILT) -> Path:
    """Builds the site below a folder and returns its first page; exits if a link leads nowhere."""
    stage(folder / "docs")
    return generate(folder)


def generate(folder: Path) -> Path:
    """Builds `site/` from the staged `docs/` of a folder; exits with the generator's warnings."""
    shutil.copyfile(CONFIG, folder / CONFIG.name)
    done = subprocess.run(
        [Path(sys.executable).with_name("zensical"), "build", "--strict"],
        cwd=folder,
        env=os.environ | {"NO_COLOR": "1"},
        check=False,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        warnings = (done.stdout + done.stderr).partition("Traceback (most recent")[0]
        sys.exit(f"the site was not built:\n{warnings}")
    return folder / "site" / "index.html"


def stage(staged: Path) -> None:
    """Writes all pages of `docs/`, and the files that they link to, anew into a folder."""
    shutil.rmtree(staged, ignore_errors=True)
    shutil.copytree(ASSETS, staged / "assets")
    due = sorted(DOCS.rglob("*.md"))
    done: set[Path] = set()
    while due:
        file = due.pop()
        if file not in done:
            done.add(file)
            due += _staged(file, staged / staged_path(file))


def _staged(file: Path, target: Path) -> list[Path]:
    """Writes one file's page and returns the files that it links to."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if file.suffix in COPIED:
        shutil.copyfile(file, target)
        return []
    text = file.read_text(encoding="utf-8")
    if file.suffix != ".md":
        target.write_text(_source_page(file, text), encoding="utf-8")
        return []
    text = for_the_site(text)
    hidden = "" if file.is_relative_to(DOCS) else HIDDEN_FROM_SEARCH
    target.write_text(hidden + with_staged_links(text, file), encoding="utf-8")
    return list(_linked(text, file))


def staged_path(file: Path) -> Path:
    """Returns a file's path in the site: `operations/index.md`, `source/models/contract/money.md`.

    Pages of `docs/` stay where they are; every other file of the repository is below `source/`.
    """
    inside = file.is_relative_to(DOCS)
    path = file.relative_to(DOCS) if inside else "source" / file.relative_to(ROOT)
    if path.name == "README.md":
        return path.with_name("index.md")
    return path if file.suffix in {".md", *COPIED} else path.with_name(f"{path.name}.md")


def with_staged_links(text: str, page: Path) -> str:
    """Returns a page's text with its relative links as they are in the site; code is unchanged."""
    here = staged_path(page).parent

    def moved(match: re.Match[str]) -> str:
        path, mark, anchor = match[2].partition("#")
        if not path:
            return match[0]
        target = staged_path(_file(page.parent / path))
        return f"{match[1]}{os.path.relpath(target, here)}{mark}{anchor}{match[3]}"

    fenced = _fenced_lines(text)
    lines = text.splitlines()
    return "\n".join(
        line if number in fenced else LINK.sub(moved, line) for number, line in enumerate(lines)
    )


def _linked(text: str, page: Path) -> Iterator[Path]:
    """Yields the files of the repository that a page links to."""
    fenced = _fenced_lines(text)
    for number, line in enumerate(text.splitlines()):
        for _, target, _ in LINK.findall(line) if number not in fenced else ():
            if path := target.partition("#")[0]:
                yield _file(page.parent / path)


def _file(path: Path) -> Path:
    """Returns a linked file; of a folder its README or `__init__.py`; exits if missing."""
    path = path.resolve()
    named = [path, path / "README.md", path / "__init__.py"]
    try:
        return next(filter(Path.is_file, named))
    except StopIteration:
        sys.exit(f"a page links to a file that is not there: {path.relative_to(ROOT)}")


def _fenced_lines(text: str) -> set[int]:
    tokens = (token.map for token in parser().parse(text) if token.type == "fence" and token.map)
    return {line for first, end in tokens for line in range(first, end)}


def _source_page(file: Path, text: str) -> str:
    """Returns a page that shows a file of the repository; search does not look into it."""
    language = LANGUAGES.get(file.suffix, "text")
    name = file.relative_to(ROOT)
    return f"{HIDDEN_FROM_SEARCH}# {name}\n\n````{language}\n{text.rstrip()}\n````\n"


if __name__ == "__main__":
    sys.stdout.write(f"{build().relative_to(ROOT)}\n")
