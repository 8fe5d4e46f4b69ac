"""A release is whole or not at all, and the same commit gives the same bytes."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COPIED = ("README.md", "LICENSE", "Makefile", "requirements.lock", ".gitignore", "pyproject.toml")
CHANGES = "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- A wheel.\n\n## [0.1.0] - 2026-11-01\n"
COMPOSE = "services:\n  web:\n    image: breakeven:0.1.0\n"
VERSION = "9.1.0"
PIN = re.compile(r"^([a-z0-9._-]+)==([^ ]+)", re.MULTILINE)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return project(tmp_path / "tree")


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A project of which a version was released, and what was printed then."""
    folder = project(tmp_path_factory.mktemp("released") / "tree")
    done = release(folder)
    assert done.returncode == 0, done.stderr
    return folder, done.stdout


def project(folder: Path) -> Path:
    """A small project that is built as ours is."""
    written = {name: (ROOT / name).read_text(encoding="utf-8") for name in COPIED}
    written |= {"CHANGELOG.md": CHANGES, "deploy/compose.yaml": COMPOSE}
    written |= {"breakeven/__init__.py": "", "docs/operations/README.md": "# Operations\n"}
    for name, text in written.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    git(folder, "init", "--quiet", "--initial-branch=main")
    for key, value in (("user.name", "Releaser"), ("user.email", "releaser@example.com")):
        git(folder, "config", key, value)
    commit(folder)
    return folder


def git(tree: Path, *words: str) -> str:
    done = subprocess.run(("git", *words), cwd=tree, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def commit(tree: Path, changes: Mapping[str, str] = {}) -> None:
    for name, text in changes.items():
        (tree / name).write_text(text, encoding="utf-8")
    git(tree, "add", "--all")
    git(tree, "commit", "--quiet", "--message", "work")


def release(tree: Path, version: str = VERSION) -> subprocess.CompletedProcess[str]:
    command = (sys.executable, str(ROOT / "deploy" / "release.py"), version)
    return subprocess.run(
        command, cwd=tree, capture_output=True, text=True, timeout=120, check=False
    )


def state(tree: Path) -> tuple[str, str, str, list[str]]:
    """What a release changes: the branch, its tags, the working tree, and what is built."""
    built = sorted(path.name for path in tree.glob("dist/*"))
    return git(tree, "rev-parse", "HEAD"), git(tree, "tag"), git(tree, "status", "-s"), built


def test_it_tags_what_it_built_and_begins_the_next_version(released: tuple[Path, str]) -> None:
    tree, printed = released
    assert f"git push --atomic origin main v{VERSION}" in printed
    _, tags, changed, built = state(tree)
    assert (tags, changed) == (f"v{VERSION}", "")
    stem = f"breakeven-{VERSION}"
    assert built == [f"{stem}-py3-none-any.whl", f"{stem}.cdx.json", f"{stem}.tar.gz"]
    assert git(tree, "cat-file", "-t", f"v{VERSION}") == "tag"
    with tarfile.open(tree / "dist" / f"{stem}.tar.gz") as source:
        packed = {name.partition("/")[2] for name in source.getnames()}
    assert {"breakeven/__init__.py", "deploy/compose.yaml", "CHANGELOG.md"} < packed
    assert "### Added\n\n- A wheel." in git(tree, "tag", "-l", "--format=%(contents)")
    assert git(tree, "rev-parse", "HEAD~1") == git(tree, "rev-parse", f"v{VERSION}^{{commit}}")

    released = git(tree, "show", f"v{VERSION}:CHANGELOG.md")
    assert re.search(rf"^## \[{VERSION}\] - \d{{4}}-\d\d-\d\d\n\n### Added", released, re.M)
    assert "Unreleased" not in released
    assert f"image: breakeven:{VERSION}" in git(tree, "show", f"v{VERSION}:deploy/compose.yaml")
    project = tomllib.loads(git(tree, "show", f"v{VERSION}:pyproject.toml"))["project"]
    assert project["version"] == VERSION
    now = tomllib.loads((tree / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert now["version"] == "9.1.1.dev0"
    assert f"## [Unreleased]\n\n## [{VERSION}]" in (tree / "CHANGELOG.md").read_text()
    again = release(tree, "9.2.0")
    assert "CHANGELOG.md says nothing below `## [Unreleased]`" in again.stderr


def test_the_same_commit_gives_the_same_bytes(released: tuple[Path, str], tmp_path: Path) -> None:
    tree, _ = released
    other = tmp_path / "elsewhere" / "clone"
    git(tree, "clone", "--quiet", "--branch", f"v{VERSION}", str(tree), str(other))
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); import release; from pathlib import Path"
    )
    build = f"{program}; release.build(Path.cwd())"
    subprocess.run((sys.executable, "-c", build, str(ROOT / "deploy")), cwd=other, check=True)
    assert digests(other) == digests(tree)


def test_its_bill_of_materials_is_cyclonedx_and_names_every_pinned_package(
    released: tuple[Path, str],
) -> None:
    text = (released[0] / "dist" / f"breakeven-{VERSION}.cdx.json").read_text(encoding="utf-8")
    assert _fault(text) is None
    document = json.loads(text)
    assert document["metadata"]["component"]["name"] == "breakeven"
    named = {(each["name"], each["version"]) for each in document["components"]}
    assert named == set(PIN.findall((ROOT / "requirements.lock").read_text(encoding="utf-8")))


def _fault(bill: str) -> object:
    """What its schema says against a bill of materials; imported only here: it is slow."""
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    return JsonStrictValidator(SchemaVersion.V1_6).validate_str(bill)


def digests(tree: Path) -> dict[str, str]:
    files = (tree / "dist").iterdir()
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


@pytest.mark.parametrize(
    ("version", "changes", "said"),
    [
        ("", {}, "VERSION=: write a version of three numbers, such as 0.2.0"),
        ("9.1", {}, "VERSION=9.1: write a version of three numbers"),
        ("9.1.0rc1", {}, "VERSION=9.1.0rc1: write a version of three numbers"),
        ("0.0.9", {}, "0.0.9 is not newer than"),
        (VERSION, {"CHANGELOG.md": "## [Unreleased]\n\n## [0.1.0]\n- x\n"}, "says nothing"),
        (VERSION, {"CHANGELOG.md": "# Changelog\n"}, "says nothing below `## [Unreleased]`"),
    ],
)  # fmt: skip
def test_what_cannot_be_released_is_said_in_one_line(
    tree: Path, version: str, changes: Mapping[str, str], said: str
) -> None:
    if changes:
        commit(tree, changes)
    refused(tree, version, said)


def test_a_checkout_with_changes_is_not_released(tree: Path) -> None:
    (tree / "breakeven" / "new.py").write_text("")
    refused(tree, VERSION, "1 changes are not committed: commit or remove them (?? breakeven/new")


def test_a_version_is_released_once(tree: Path) -> None:
    git(tree, "tag", f"v{VERSION}")
    refused(tree, VERSION, f"there is a tag v{VERSION} already")


def test_a_release_is_of_a_branch(tree: Path) -> None:
    git(tree, "checkout", "--quiet", "--detach")
    refused(tree, VERSION, "no branch is checked out")


def test_where_a_step_fails_nothing_is_released(tree: Path) -> None:
    broken = (
        (tree / "Makefile").read_text().replace("requirements.lock\n\t@echo", "nothing\n\t@echo")
    )
    commit(tree, {"Makefile": broken})
    refused(tree, VERSION, "nothing was released")


def test_where_the_branch_cannot_be_moved_nothing_is_released(tree: Path) -> None:
    """All is built, with next to nothing for an SBOM, and taken out of `dist/` again."""
    commit(tree, {"Makefile": "sbom:\n\techo {} >$(SBOM)\n"})
    hook = tree / ".git" / "hooks" / "pre-receive"
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    refused(tree, VERSION, "git push failed, and nothing was released")


def refused(tree: Path, version: str, said: str) -> None:
    before = state(tree)
    done = release(tree, version)
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    assert said in line
    assert state(tree) == before
