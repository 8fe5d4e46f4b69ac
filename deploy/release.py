"""Makes a release and its tag in this checkout, unpublished: `make release VERSION=0.2.0`.

It writes the version and the date of the changelog, builds wheel, source archive and SBOM into
`dist/`, commits, tags, and begins the next version. All of it happens in a clone; this checkout
gets branch and tag in one step at the end, so that an interruption leaves it as it was.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import NoReturn

from packaging.version import InvalidVersion, Version

UNRELEASED = "## [Unreleased]"
PROJECT, CHANGELOG, BUILT = "pyproject.toml", "CHANGELOG.md", "dist"
DECLARED = re.compile(r'^version = "([^"]+)"$', re.MULTILINE)
SECTION = re.compile(rf"^{re.escape(UNRELEASED)}\n(.*?)(?=^## \[|\Z)", re.MULTILINE | re.DOTALL)
IMAGE = re.compile(r"(breakeven:|newTag: )\d+\.\d+\.\d+\b")
"""Where manifests and their pages name the image of a release."""
IMAGES = ("deploy/**/*.yaml", "docs/operations/*.md")


def main(given: str) -> None:
    """Builds, commits and tags a version in the current checkout; says how to publish it."""
    root = Path(_git(Path(), "rev-parse", "--show-toplevel"))
    version, notes = _checked(root, given)
    os.umask(0o022)  # the modes of files are part of the wheel's bytes
    with tempfile.TemporaryDirectory(prefix="breakeven-release-") as folder:
        clone = Path(folder) / "clone"
        branch = _clone(root, clone)
        _commit_release(clone, version, notes)
        made = build(clone)
        _begin_next(clone, version)
        _hand_over(root, clone, made, branch, version)
    for file in made:
        digest = hashlib.sha256((root / BUILT / file.name).read_bytes()).hexdigest()
        _say(f"{digest}  {BUILT}/{file.name}")
    _say(f"To publish: git push --atomic origin {branch} v{version}")


def _checked(root: Path, given: str) -> tuple[Version, str]:
    """Returns the version and its notes. Exits with one line where it cannot be released."""
    try:
        version = Version(given)
    except InvalidVersion:
        version = Version("0.dev0")
    if version.is_prerelease or str(version) != given or len(version.release) != 3:
        _refuse(f"VERSION={given}: write a version of three numbers, such as 0.2.0")
    if changed := _git(root, "status", "--porcelain").splitlines():
        _refuse(f"{len(changed)} changes are not committed: commit or remove them ({changed[0]})")
    if _git(root, "tag", "--list", f"v{version}"):
        _refuse(f"there is a tag v{version} already: release a newer version")
    now = Version(_declared(root))
    if version <= now:
        _refuse(f"{version} is not newer than {now}, which {PROJECT} says")
    section = SECTION.search((root / CHANGELOG).read_text(encoding="utf-8"))
    if section is None or not section[1].strip():
        _refuse(f"{CHANGELOG} says nothing below `{UNRELEASED}`: write what changes for users")
    return version, section[1].strip()


def _clone(root: Path, clone: Path) -> str:
    """Clones the checkout's branch, with its committer; returns the branch's name."""
    branch = _git(root, "branch", "--show-current")
    if not branch:
        _refuse("no branch is checked out: switch to the one that is released")
    _git(root, "clone", "--quiet", "--branch", branch, str(root), str(clone))
    for key in ("user.name", "user.email"):
        _git(clone, "config", key, _git(root, "config", key))
    return branch


def _commit_release(clone: Path, version: Version, notes: str) -> None:
    heading = f"## [{version}] - {datetime.now(UTC):%Y-%m-%d}"
    _replace(clone / CHANGELOG, UNRELEASED, heading)
    _declare(clone, str(version))
    for file in (file for pattern in IMAGES for file in clone.glob(pattern)):
        text = file.read_text(encoding="utf-8")
        file.write_text(IMAGE.sub(rf"\g<1>{version}", text), encoding="utf-8")
    _git(clone, "commit", "--quiet", "--all", "--message", f"Release {version}")
    message = f"breakeven {version}\n\n{notes}\n"
    tag = ("tag", "--annotate", f"v{version}", "--cleanup=whitespace", "--file=-")
    _git(clone, *tag, given=message)


def build(tree: Path) -> list[Path]:
    """Builds wheel, source archive and SBOM of a checkout; the same commit gives the same bytes."""
    folder, python = tree / BUILT, sys.executable
    epoch = _git(tree, "log", "-1", "--format=%ct")
    fixed = os.environ | {"SOURCE_DATE_EPOCH": epoch}
    _run(tree, python, "-m", "hatchling", "build", "--directory", BUILT, environ=fixed)
    bom = f"SBOM={folder / f'breakeven-{_declared(tree)}.cdx.json'}"
    tools = f"BIN={Path(python).parent}"
    _run(tree, "make", "--silent", "--old-file=.venv/test.stamp", "sbom", bom, tools)
    return sorted(folder.iterdir())


def _begin_next(clone: Path, version: Version) -> None:
    """Commits the next development version, so that no later build claims to be the release."""
    major, minor, patch = version.release
    _declare(clone, f"{major}.{minor}.{patch + 1}.dev0")
    _replace(clone / CHANGELOG, f"## [{version}]", f"{UNRELEASED}\n\n## [{version}]")
    _git(clone, "commit", "--quiet", "--all", "--message", f"Begin what follows {version}")


def _hand_over(root: Path, clone: Path, made: list[Path], branch: str, version: Version) -> None:
    """Puts files into `dist/`, then branch and tag into the checkout, both or neither."""
    (root / BUILT).mkdir(exist_ok=True)
    for file in made:
        shutil.copyfile(file, root / BUILT / file.name)
    taking = "--receive-pack=git -c receive.denyCurrentBranch=updateInstead receive-pack"
    try:
        _git(clone, "push", "--quiet", "--atomic", taking, "origin", branch, f"v{version}")
    except SystemExit:
        for file in made:
            (root / BUILT / file.name).unlink()
        raise


def _declared(tree: Path) -> str:
    found = DECLARED.search((tree / PROJECT).read_text(encoding="utf-8"))
    return found[1] if found else _refuse(f"{PROJECT} declares no version")


def _declare(tree: Path, version: str) -> None:
    _replace(tree / PROJECT, f'version = "{_declared(tree)}"', f'version = "{version}"')


def _replace(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace(old, new, 1), encoding="utf-8")


def _git(folder: Path, *words: str, given: str | None = None) -> str:
    return _run(folder, "git", *words, given=given)


def _run(
    folder: Path, *words: str, given: str | None = None, environ: dict[str, str] | None = None
) -> str:
    """Runs a command and returns what it printed. Exits with its last line where it fails."""
    done = subprocess.run(
        words, cwd=folder, input=given, env=environ, capture_output=True, text=True, check=False
    )
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines() or ["no reason given"]
        _refuse(f"{Path(words[0]).name} {words[1]} failed, and nothing was released: {said[-1]}")
    return done.stdout.strip()


def _refuse(line: str) -> NoReturn:
    sys.exit(f"release: {line}")


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "")
