"""The reference is what the code gives, and nothing of the code is missing from it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import click
import pytest
from pydantic import BaseModel

from breakeven import main
from documentation.reference import PAGES
from documentation.reference.config import words_of
from documentation.reference.markdown import FOLDER, words
from documentation.reference.raised_errors import CLASSES, raised_errors
from ingest.sources import SOURCES
from models.config.settings import Settings
from models.contract.schema import MARTS

ROOT = Path(__file__).parents[2]
PACKAGES = ("breakeven", "dashboard", "ingest", "models")
MADE = re.compile(r'(?:gauges?|GaugeMetricFamily|Counter|Histogram)\(\s*"(?:breakeven_)?(\w+)"')


def read(page: str) -> str:
    return (FOLDER / page).read_text(encoding="utf-8")


def sections(page: str) -> dict[str, str]:
    """The text below each heading of the second and third level."""
    parts = re.split(r"^##+ (.+)$", read(page), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_what_the_code_gives(page: str) -> None:
    assert read(page) == PAGES[page](), "stale: run `make reference`"


def commands(group: click.Group, prefix: str) -> Iterator[tuple[str, click.Command]]:
    for name, command in group.commands.items():
        yield f"{prefix} {name}", command
        if isinstance(command, click.Group):
            yield from commands(command, f"{prefix} {name}")


def test_every_command_and_option_is_there() -> None:
    written = sections("commands.md")
    missing = {
        (name, option)
        for name, command in commands(main, "breakeven")
        for option in [flag for each in command.params for flag in each.opts if flag[:2] == "--"]
        if option != "--config" and f"`{option}`" not in written[name]
    }
    assert missing == set()


def keys(model: type[BaseModel]) -> Iterator[tuple[str, str]]:
    """Each key of the config with the heading that it stands under."""
    for name, field in model.model_fields.items():
        kinds = [field.annotation, *get_args(field.annotation)]
        table = next((k for k in kinds if isinstance(k, type) and issubclass(k, BaseModel)), None)
        if table:
            title = f"[{name}]" if table is field.annotation else f"[[{name}]]"
            yield from ((title, inner.alias or key) for key, inner in table.model_fields.items())
        elif not field.exclude:
            yield "Keys of their own", name


def test_every_key_of_the_config_and_every_option_of_a_source_is_there_with_a_meaning() -> None:
    written = sections("config.md")
    wanted = [*keys(Settings)]
    wanted += [(source.kind, name) for source in SOURCES for name in source.accepts.model_fields]
    assert len(wanted) > 200
    rows = {
        pair: re.search(rf"^\| `{pair[1]}` .*\| (.+) \|$", written[pair[0]], re.M)
        for pair in wanted
    }
    assert [pair for pair, row in rows.items() if row is None or not row[1].strip()] == []


def test_words_of_keys_that_are_gone_are_gone() -> None:
    known = {f"{title.strip('[]')}.{key}" for title, key in keys(Settings)}
    known |= {key for title, key in keys(Settings) if title == "Keys of their own"}
    options = {(source.kind, name) for source in SOURCES for name in source.accepts.model_fields}
    known |= {f"sources.{kind}.{name}" for kind, name in options}
    known |= {f"options.{name}" for _, name in options} | {"kinds"}
    assert set(words("config_keys")) - known == set()
    assert set(words("config_keys")["kinds"]) == {source.kind for source in SOURCES}


def test_words_that_are_missing_are_named_with_the_file_that_lacks_them() -> None:
    missing = r"documentation/words/config_keys\.toml has no words for options\.unheard_of"
    with pytest.raises(LookupError, match=missing):
        words_of("sources.focus.unheard_of")


def test_every_mart_is_there_with_what_it_is_made_from() -> None:
    written = sections("marts.md")
    assert list(written) == list(MARTS)
    assert [mart for mart, text in written.items() if f"```text\n{mart}\n" not in text] == []
    assert "└─ config" in written["spend_daily"]
    assert [mart for mart in ("runs", "baselines") if mart not in written["break_even"]] == []


def test_every_metric_is_there() -> None:
    files = (ROOT / "dashboard" / "server" / "metrics").glob("*.py")
    made = {name for file in files for name in MADE.findall(file.read_text(encoding="utf-8"))}
    assert len(made) > 15
    assert {name for name in made if f"`breakeven_{name}" not in read("metrics.md")} == set()


def raised() -> Iterator[tuple[str, str]]:
    """Each piece of text that an error's class is called with, and where."""
    for file in (each for name in PACKAGES for each in sorted((ROOT / name).rglob("*.py"))):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in CLASSES and node.args:
                text = node.args[0]
                parts = text.values if isinstance(text, ast.JoinedStr) else [text]
                for part in parts:
                    if isinstance(part, ast.Constant):
                        yield str(part.value), f"{file.relative_to(ROOT)}:{node.lineno}"


def test_every_error_is_there() -> None:
    page = " ".join(read("errors.md").replace("\\|", "|").split())
    texts = list(raised())
    assert len(texts) > 150
    missing = {where: text for text, where in texts if " ".join(text.split()) not in page}
    assert missing == {}


def test_every_error_has_a_cause_and_no_cause_is_of_an_error_that_is_gone() -> None:
    assert {each.text for each in raised_errors()} == set(words("error_causes"))
