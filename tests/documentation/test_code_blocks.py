"""Every code block of the documentation runs, or is marked as an excerpt of something else.

README and the pages of *Start*, *How to* and *Questions* run as by somebody who has only that page:
in a folder with a bill and progress, command after command. Commands of the other pages are read
by the command line, and their configs are loaded.
"""

from __future__ import annotations

import json
import re
import shutil
import tomllib
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from breakeven import main
from documentation.site import DOCS, ROOT
from ingest.sources import configured
from models.config.loading import validated_settings
from tests.support.documentation.code_blocks import Block, as_toml, blocks
from tests.support.world import one_core

SAMPLE = ROOT / "data" / "sample"
FOLDERS = ("start", "how-to")
RUN = [ROOT / "README.md", DOCS / "questions.md"]
RUN += [page for name in FOLDERS for page in sorted((DOCS / name).glob("*.md"))]
METHOD = sorted((DOCS / "method").glob("*.md"))  # tests/docs/test_worked_examples.py runs them
READ = [page for page in sorted(DOCS.rglob("*.md")) if page not in {*RUN, *METHOD}]
SERVERS = {"demo", "serve", "up", "schedule"}
"""Commands that go on until they are stopped; tests of their own start them."""
TARGETS = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
CHANGES = {"init", "ingest"}
LEFT_OUT = ("*.py", "generator", "focus-1-0", "harbor*", "orbit*", "quill*", "scribe*")
"""What of the sample no page needs: the first year of the bill, and four workloads' progress."""
HELD = re.compile(r"(cluster|hpc,[^,]*,[^,]*,2026-(09|10)).*\n")
"""The lines of its jobs that are left: of two months, as each day of a cluster is a delivery."""
STAND_FOR = {"s3://our-bills/breakeven/breakeven-focus": "focus-1-2"}
"""What is in AWS on a page → the folder of the sample that stands for it."""
DRAWN = ("README.md", "marts.md", "architecture.md")
"""Pages whose blocks of text are drawings."""
LANGUAGES = {"sh", "toml", "csv", "json", "python", "text"}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample, pulled and built: where every page begins."""
    folder = tmp_path_factory.mktemp("pages") / "sample"
    shutil.copytree(SAMPLE, folder, ignore=shutil.ignore_patterns(*LEFT_OUT))
    jobs, config = folder / "allocations" / "hpc.csv", folder / "breakeven.toml"
    jobs.write_text("".join(line for line in jobs.read_text().splitlines(True) if HELD.match(line)))
    text = config.read_text(encoding="utf-8").replace("../demo/", "data/")
    text = text.replace('[[sources]]\nkind = "focus"\nlocation = "focus-1-0"\n', "")
    config.write_text(text, encoding="utf-8")
    for verb in ("ingest", "build"):
        result = invoke([verb, "--config", str(config)])
        assert result.exit_code == 0, result.output
    return folder


def invoke(words: list[str]) -> Result:
    with one_core():
        return CliRunner().invoke(main, words)


class Reader:
    """Somebody who does what a page says, in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.printed = ""
        self.has_changed = False
        """Whether something is not pulled or built yet; what is there already is not made again."""

    def do(self, block: Block) -> None:
        where = f"{block.page.relative_to(ROOT)}:{block.line}"
        assert block.language in LANGUAGES, f"{where}: neither run nor an excerpt"
        getattr(self, f"do_{block.language}")(block, where)

    def do_sh(self, block: Block, where: str) -> None:
        self.printed = ""
        for program, *words in block.commands:
            if program == "make":
                assert set(words) <= TARGETS, f"{where}: no such target"
                continue
            assert Path(program).name == "breakeven", f"{where}: {program} is not ours: an excerpt"
            if words[0] in SERVERS:
                understood(words, where)
                continue
            if words in (["ingest"], ["build"]) and not self.has_changed:
                continue
            result = invoke([STAND_FOR.get(word, word) for word in words])
            checked = words[0] == "doctor" or "--check" in words
            assert result.exit_code in ((0, 1) if checked else (0,)), f"{where}: {result.output}"
            assert not isinstance(result.exception, Exception), where
            self.printed += result.stdout
            self.has_changed = (self.has_changed and words[0] != "build") or words[0] in CHANGES

    def do_toml(self, block: Block, where: str) -> None:
        """Adds it to the config of the folder; sources that are elsewhere are only looked at."""
        config = self.folder / "breakeven.toml"
        table, base = read_config(block, config, where), parsed(config.read_text("utf-8"))
        here = [each for each in table.pop("sources", []) if self.is_here(each)]
        sources = {"sources": [*base["sources"], *here]}
        config.write_text(as_toml(merged(base, table) | sources), encoding="utf-8")
        self.has_changed = True

    def is_here(self, source: Mapping[str, Any]) -> bool:
        return (self.folder / source.get("location", "nowhere")).exists()

    def do_csv(self, block: Block, where: str) -> None:
        header, *rows = block.text.splitlines()
        assert {len(row.split(",")) for row in rows} == {len(header.split(","))}, where

    def do_json(self, block: Block, where: str) -> None:
        assert json.loads(block.text), where

    def do_python(self, block: Block, where: str) -> None:
        compile(block.text, where, "exec")

    def do_text(self, block: Block, where: str) -> None:
        """What the commands before it print, in order; `…` stands for anything."""
        position = 0
        lines = [] if block.page.name in DRAWN else block.text.splitlines()
        for line in map(str.strip, lines):
            if line and line != "…":
                position = self.printed.find(line, position)
                assert position >= 0, f"{where}: not printed: {line}\n{self.printed}"


def understood(words: list[str], where: str) -> None:
    """The command line knows the command and its options."""
    group, name, rest = main, words[0], words[1:]
    while isinstance(command := group.get_command(click.Context(group), name), click.Group):
        group, (name, *rest) = command, rest
    assert command is not None, f"{where}: there is no command {name}"
    try:
        command.make_context(name, [STAND_FOR.get(word, word) for word in rest])
    except click.exceptions.Exit:
        pass
    except click.ClickException as error:
        if "does not exist" not in error.format_message():  # a file of the user's
            pytest.fail(f"{where}: {error.format_message()}", pytrace=False)


def parsed(text: str) -> dict[str, Any]:
    return tomllib.loads(text, parse_float=Decimal)


def read_config(block: Block, beside: Path, where: str) -> dict[str, Any]:
    """A part of a config is valid beside the config of the page, and so are its sources."""
    table, base = parsed(block.text), parsed(beside.read_text(encoding="utf-8"))
    base.pop("sources", None)
    settings = validated_settings(merged(base, table), home=beside.parent, where=where)
    configured(settings)
    return table


def merged(base: Mapping[str, Any], table: Mapping[str, Any]) -> dict[str, Any]:
    """A config with a part added: tables are joined, lists of tables begin anew."""
    joined = {
        key: merged(base[key], value) if isinstance(value, dict) and key in base else value
        for key, value in table.items()
    }
    return {**base, **joined}


def named(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.pages
@pytest.mark.parametrize("page", RUN, ids=named)
def test_what_a_page_says_can_be_done(
    page: Path, built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = [block for block in blocks(page) if not block.is_excerpt]
    if not ours:
        return
    folder = tmp_path / "company"
    shutil.copytree(built, folder)
    if any("init" in words[1:2] for block in ours for words in block.commands_of_ours):
        (folder / "breakeven.toml").unlink()
        shutil.rmtree(folder / "data")
    for block in (block for block in ours if block.file):
        (folder / block.file).write_text(block.text, encoding="utf-8")
    monkeypatch.chdir(folder)
    reader = Reader(folder)
    for block in ours:
        reader.do(block)


def test_the_training_code_of_the_page_reports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The emitter is copied alone; the callbacks need libraries that a trainer has."""
    page = DOCS / "how-to" / "progress-training-code.md"
    [block] = [block for block in blocks(page) if block.language == "python"]
    shutil.copyfile(ROOT / "ingest" / "emit.py", tmp_path / "emit.py")
    monkeypatch.syspath_prepend(str(tmp_path))
    names: dict[str, Any] = {}
    exec(compile(block.text, str(page), "exec"), names)
    names["progress"].flush()
    assert "atlas-t7" in capfd.readouterr().out


@pytest.mark.parametrize("page", READ, ids=named)
def test_a_block_of_another_page_is_read(page: Path, tmp_path: Path) -> None:
    config = tmp_path / "breakeven.toml"
    shutil.copyfile(SAMPLE / "breakeven.toml", config)
    reader = Reader(tmp_path)
    for block in (block for block in blocks(page) if not block.is_excerpt):
        where = f"{named(page)}:{block.line}"
        if block.language == "sh":
            for program, *words in block.commands:
                assert Path(program).name == "breakeven", f"{where}: {program}: an excerpt"
                understood(words, where)
        elif block.language == "toml":
            read_config(block, config, where)
        elif block.language == "text":
            assert page.name in DRAWN, f"{where}: nothing checks it"
        else:
            reader.do(block)
