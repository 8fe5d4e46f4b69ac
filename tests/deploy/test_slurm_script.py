"""The script of the head node of Slurm, with the commands of Slurm left out."""

from __future__ import annotations

import importlib.util
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "deploy/slurm/breakeven_slurm.py"
SAID = {"scontrol show config": "ClusterName = atlas\n", "sacct --version": "slurm 24.11.5\n"}


@pytest.mark.parametrize(("last_run", "days"), [(None, 3), (1, 3), (9, 10)])
def test_days_since_the_last_run_are_written_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, last_run: int | None, days: int
) -> None:
    """The head node stood still for nine days: the first of them has its morning alone."""
    named = importlib.util.spec_from_file_location("breakeven_slurm", SCRIPT)
    assert named
    assert named.loader
    script = importlib.util.module_from_spec(named)
    named.loader.exec_module(script)
    monkeypatch.setattr(script, "_answer", lambda *asked: SAID.get(" ".join(asked), ""))
    today = datetime.now(UTC).date()
    for ago in () if last_run is None else (last_run + 1, last_run):
        (tmp_path / f"sacct-{today - timedelta(days=ago)}.psv").write_text("old")
    assert script.main([str(tmp_path)]) == 0
    written = [path.name for path in tmp_path.glob("sacct*") if path.read_text() != "old"]
    assert sorted(written) == [
        f"sacct-{today - timedelta(days=ago)}.psv" for ago in reversed(range(days))
    ]
