"""What holds the project together besides its code: locks, docs, version, image, CI."""

from __future__ import annotations

import os
import re
import subprocess
import tomllib
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any, get_args

import pytest
from packaging.version import Version
from pydantic import BaseModel

from breakeven import main
from models.config.settings import Settings
from models.contract.schema import PROGRESS

ROOT = Path(__file__).parent.parent
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PINNED = re.compile(r"^([a-z0-9.-]+)==([^ ]+)(?: ; [^\\]+)? \\$")
HASH = re.compile(r"^    --hash=sha256:[0-9a-f]{64}( \\)?$")
A_MACHINE = re.compile(
    r"(?<![\w.])/(root|work|Users)/\w"  # somebody's own folder
    r"|\b(files\.)?py(pi|thonhosted)\.\w|\bregistry\.np(m|mjs)\b|\bdeb\.debia(n)\b"
    r"|--(extra-)?index-ur(l)|--find-link(s)"
)


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def pins(name: str) -> set[tuple[str, str]]:
    found = (PINNED.match(line) for line in read(name).splitlines())
    return {(match[1], match[2]) for match in found if match}


def names(requirements: list[str]) -> set[str]:
    return {re.split(r"[\[<>=~! ]", text)[0].lower() for text in requirements}


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-test.lock"])
def test_a_lock_is_pins_and_hashes_and_names_no_place_to_get_them(lock: str) -> None:
    odd = [
        line for line in read(lock).splitlines() if not PINNED.match(line) and not HASH.match(line)
    ]
    assert odd == []


def test_the_locks_hold_what_the_project_asks_for() -> None:
    asked = names(PROJECT["project"]["dependencies"] + PROJECT["build-system"]["requires"])
    assert asked <= {name for name, _ in pins("requirements.lock")}
    tested = names(PROJECT["project"]["optional-dependencies"]["test"])
    assert tested <= {name for name, _ in pins("requirements-test.lock")}


def test_the_tests_run_on_the_versions_that_users_get() -> None:
    assert pins("requirements.lock") <= pins("requirements-test.lock")


def test_one_version_everywhere() -> None:
    declared = PROJECT["project"]["version"]
    newest = re.search(r"^## \[(\d[^\]]*)\]", read("CHANGELOG.md"), re.MULTILINE)
    assert newest is not None
    assert declared == version("breakeven")
    assert Version(newest[1]) <= Version(declared), "what is not released stands below [Unreleased]"


def test_ci_can_be_run_and_runs_what_people_run() -> None:
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
    assert re.search(r"^make .*\btest\b", read(".ci/run"), re.MULTILINE)


def test_every_package_has_tests_in_a_folder_of_its_name() -> None:
    """So the sample of `make check`, a test of each folder, reaches every package."""
    parents = ["models", "models/marts", "ingest", "dashboard"]
    found = {
        package.parent.relative_to(ROOT)
        for parent in parents
        for package in (ROOT / parent).glob("*/__init__.py")
    }
    tested = {file.parent.relative_to(ROOT / "tests") for file in ROOT.glob("tests/**/test_*.py")}
    reached = tested | {parent for folder in tested for parent in folder.parents}
    assert sorted(found - reached) == []


def test_make_has_the_promised_targets() -> None:
    targets = set(re.findall(r"^([a-z]+):", read("Makefile"), re.MULTILINE))
    assert {"setup", "demo", "check", "unit", "test", "systems", "slowest", "bench"} <= targets


def test_no_tracked_file_names_a_machine_or_a_registry() -> None:
    guilty = [
        f"{path}: {match[0]}"
        for path in tracked()
        if (match := A_MACHINE.search((ROOT / path).read_bytes().decode("utf-8", "ignore")))
    ]
    assert guilty == []


def tracked() -> list[str]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    return [path for path in listed.stdout.decode().split("\0") if path and (ROOT / path).is_file()]


def test_the_image_gets_all_packages_and_is_not_root() -> None:
    copied = {
        source
        for line in re.findall(r"^COPY (.+) \S+$", read("Dockerfile"), re.MULTILINE)
        for source in line.split()
    }
    assert {"requirements.lock", "."} <= copied
    sent = {line[1:] for line in read(".dockerignore").splitlines() if line[:1] == "!"}
    held = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["include"]
    assert {path.split("/")[1] for path in held} <= sent
    assert not {"tests", "benchmarks", ".git"} & sent
    assert "--require-hashes" in read("Dockerfile")
    assert re.search(r"^USER [1-9]\d*:[1-9]\d*$", read("Dockerfile"), re.MULTILINE)


def test_every_verb_shows_an_example() -> None:
    helps = {verb: command.help or "" for verb, command in main.commands.items()}
    assert [verb for verb, text in helps.items() if "Example: " not in text] == []


def test_the_readme_can_be_read_at_once() -> None:
    assert len(read("README.md").splitlines()) <= 150


def test_every_setting_is_in_the_config_that_init_writes() -> None:
    assert [setting for setting in settings() if setting not in read("data/breakeven.toml")] == []


def test_what_each_column_of_a_progress_file_holds_is_said() -> None:
    page = read("docs/how-to/progress-file.md")
    rows = [line.split("|")[1] for line in page.splitlines() if line[:3] == "| `"]
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert PROGRESS.keys() - named == {"excludes_repeats", "source"}  # no columns of a file


def settings() -> Iterator[str]:
    """As they are written in breakeven.toml: `cost.basis`, `as_of`, `[[workloads]]`."""
    for name, field in Settings.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from (f"{name}.{leaf}" for leaf in kind.model_fields)
        elif any(isinstance(part, type) and issubclass(part, BaseModel) for part in get_args(kind)):
            yield f"[[{name}]]"
        elif not field.exclude:
            yield name


def test_mutants_that_survive_are_listed_of_models_that_exist_with_a_reason() -> None:
    listed = tomllib.loads(read("benchmarks/mutation/survivors.toml"))
    assert [name for name in listed if not (ROOT / name).is_file()] == []
    assert all(": " in why for reasons in listed.values() for why in reasons.values())
