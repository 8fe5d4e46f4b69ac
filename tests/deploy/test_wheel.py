"""The wheel holds what commands and pages need, nothing that a user made, and works by itself."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

ROOT = Path(__file__).parents[2]
PACKAGES = ("breakeven", "models", "ingest", "dashboard")
MOST_BYTES = 6 * 2**20
A_USERS = (
    *("data/our-prices.csv", "data/epochs.csv", "data/warehouse.duckdb", "data/audit.jsonl"),
    *("data/raw/focus/line.csv", "breakeven.toml", "deploy/tls/certificates/key.pem"),
)
INSTALLED = """
from importlib.metadata import version
from click.testing import CliRunner
from flask import Flask
from breakeven import main
from breakeven.verbs.demo import BACKUP, COMPANY
from dashboard.server.documentation import add_documentation
from models.contract.shipped_data import FOLDER, shipped_name

def run(*words):
    done = CliRunner().invoke(main, words, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output

server = Flask("installed")
add_documentation(server)
for path in ("/docs/schedulers.md", "/deploy/iam-policy.json"):
    assert server.test_client().get(path).status_code == 200, path
assert run("--version").endswith(f"version {version('breakeven')}\\n")
run("init", "--no-ask", "--bill", "bill")
assert BACKUP.is_file()
assert run("estimate", "--config", str(COMPANY))
assert "models/marts/savings" in run("lineage", "break_even.progress")
print(FOLDER, shipped_name("deploy/iam-policy.json"))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    command = (sys.executable, "-m", "hatchling", "build", "--target", "wheel", "-d", str(folder))
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (made,) = folder.iterdir()
    return made


def test_it_holds_the_packages_whole_and_nothing_beside_them(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as content:
        names = {name for name in content.namelist() if ".dist-info/" not in name}
    shipped = {name for name in names if name.startswith("models/shipped/")}
    ours = {
        file.relative_to(ROOT).as_posix()
        for package in PACKAGES
        for file in (ROOT / package).rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }
    assert names - shipped == ours
    assert not [name for name in shipped if "generator" in name or "release.py" in name]
    assert {name.split("/")[2] for name in shipped} == {"data", "docs", "deploy"}
    assert wheel.stat().st_size < MOST_BYTES


def test_every_python_file_is_in_a_package() -> None:
    folders = {file.parent for package in PACKAGES for file in (ROOT / package).rglob("*.py")}
    assert [folder for folder in folders if not (folder / "__init__.py").exists()] == []


def test_nothing_that_a_user_made_in_a_checkout_gets_into_it(tmp_path: Path) -> None:
    for name in ("pyproject.toml", "README.md", "LICENSE", ".gitignore", "data/prices.csv"):
        target = tmp_path / name
        target.parent.mkdir(exist_ok=True)
        target.write_bytes((ROOT / name).read_bytes())
    for name in A_USERS:
        target = tmp_path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("secret")
    found = {file.relative_path for file in WheelBuilder(str(tmp_path)).recurse_included_files()}
    assert found == {"data/prices.csv"}


def test_commands_and_pages_work_where_there_is_no_checkout(wheel: Path, tmp_path: Path) -> None:
    site, here = tmp_path / "site", tmp_path / "here"
    here.mkdir()
    environ = {k: v for k, v in os.environ.items() if not k.startswith("BREAKEVEN_")}

    def run(*words: str) -> str:
        done = subprocess.run(
            (sys.executable, *words),
            cwd=here,
            env=environ | {"PYTHONPATH": str(site)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    to = ("--no-deps", "--no-compile", "--target", str(site))
    run("-m", "pip", "install", "--quiet", *to, str(wheel))
    shipped = site / "models" / "shipped"
    assert run("-c", INSTALLED) == f"{shipped} {shipped / 'deploy/iam-policy.json'}\n"
    assert 'location = "bill"' in (here / "breakeven.toml").read_text(encoding="utf-8")
