"""The script of the head node of Slurm, with the commands of Slurm left out."""

from __future__ import annotations

import importlib.util
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[2] / "deploy/slurm/breakeven_slurm.py"
SAID = {"scontrol show config": "ClusterName = atlas\n", "sacct --version": "slurm 24.11.5\n"}
SHELL = b"""#!/bin/sh
case "${0##*/} $*" in
"$FAILS "*) echo "$FAILS: no answer" >&2; exit 1 ;;
"scontrol show config") echo "ClusterName = atlas" ;;
"scontrol show node -o") echo "NodeName=p5-1 InstanceId=i-0a State=IDLE Reason=d\xe9pannage" ;;
"sacct --version") echo "slurm 24.11.5" ;;
"sacct --helpformat") echo "Cluster JobID JobName" ;;
"sacct "*) echo "atlas|17|entra\xeenement" ;;
"sacctmgr "*) echo "atlas|p5-1|d\xe9pannage" ;;
*) echo '{"Reservations": []}' ;;
esac
"""
"""Commands of a cluster whose users write Latin-1."""


def loaded() -> ModuleType:
    named = importlib.util.spec_from_file_location("breakeven_slurm", SCRIPT)
    assert named
    assert named.loader
    script = importlib.util.module_from_spec(named)
    named.loader.exec_module(script)
    return script


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder to write into, where the commands on PATH are those of such a cluster."""
    for command in ("sacct", "sacctmgr", "scontrol", "aws"):
        (tmp_path / command).write_bytes(SHELL)
        (tmp_path / command).chmod(0o700)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    return tmp_path / "slurm"


@pytest.mark.parametrize(("last_run", "days"), [(None, 3), (1, 3), (9, 10)])
def test_days_since_the_last_run_are_written_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, last_run: int | None, days: int
) -> None:
    """The head node stood still for nine days: the first of them has its morning alone."""
    script = loaded()
    monkeypatch.setattr(script, "_answer", lambda *asked: SAID.get(" ".join(asked), ""))
    today = datetime.now(UTC).date()
    for ago in () if last_run is None else (last_run + 1, last_run):
        (tmp_path / f"sacct-{today - timedelta(days=ago)}.psv").write_text("old")
    assert script.main([str(tmp_path)]) == 0
    written = [path.name for path in tmp_path.glob("sacct*") if path.read_text() != "old"]
    assert sorted(written) == [
        f"sacct-{today - timedelta(days=ago)}.psv" for ago in reversed(range(days))
    ]


def test_a_name_that_is_not_utf_8_is_written_with_its_bytes(folder: Path) -> None:
    """Slurm takes any bytes: one job's name stopped all later days, and nodes.csv."""
    assert loaded().main([str(folder), "--days", "1"]) == 0
    (day,) = folder.glob("sacct-*.psv")
    assert day.read_text().endswith("\natlas|17|entra\\xeenement\n")
    assert (folder / "events.psv").read_text() == "atlas|p5-1|d\\xe9pannage\n"
    assert ",p5-1,i-0a," in (folder / "nodes.csv").read_text()


@pytest.mark.parametrize(
    ("fails", "written"),
    [
        ("sacct", ["events.psv", "instances.psv", "nodes.csv"]),
        ("aws", ["events.psv", "instances.psv", "sacct"]),
    ],
)
def test_what_cannot_be_asked_for_costs_nothing_else(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    fails: str,
    written: list[str],
) -> None:
    monkeypatch.setenv("FAILS", fails)
    assert loaded().main([str(folder), "--days", "1", "--ec2"]) == 1
    assert sorted(path.name.partition("-")[0] for path in folder.iterdir()) == written
    assert capsys.readouterr().err == f"breakeven_slurm: {fails}: no answer\n"
