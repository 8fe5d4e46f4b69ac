"""What a crash or a bad disk leaves behind is named in one line, with the remedy."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from breakeven import main
from tests.world import World, write


@pytest.fixture
def config(world: World) -> list[str]:
    """`--config` of a built world that a test may damage."""
    world.charge("2025-10-30T00:00:00", "1.00")
    write(world.folder / "bill.csv", world.charges)
    file = world.folder / "breakeven.toml"
    source = '[[sources]]\nkind = "focus"\nlocation = "bill.csv"\n'
    file.write_text(f"as_of = 2025-10-31\n{source}")
    for verb in ("ingest", "build"):
        assert CliRunner().invoke(main, [verb, "--config", str(file)]).exit_code == 0
    return ["--config", str(file)]


def stated(result: Result, *words: str) -> None:
    """Exit 1, nothing on stdout, one line on stderr that holds `words`."""
    assert (result.exit_code, result.stdout) == (1, "")
    lines = [line for line in result.stderr.splitlines() if " INFO " not in line]
    assert len(lines) == 1, (result.stderr, result.exception)
    assert lines[0].startswith("breakeven: ")
    for word in words:
        assert word in lines[0]


def test_a_damaged_warehouse_is_named_with_the_remedy(config: list[str], tmp_path: Path) -> None:
    file = tmp_path / "data" / "warehouse.duckdb"
    for damage in (b"", b"short", b"not a database" * 4096):
        file.write_bytes(damage)
        result = CliRunner().invoke(main, ["build", *config])
        if result.exit_code:
            stated(result, str(file), "delete it and run `breakeven build`")
    file.unlink()
    assert CliRunner().invoke(main, ["build", *config]).exit_code == 0


def test_a_truncated_warehouse_or_snapshot_is_no_traceback(
    config: list[str], tmp_path: Path
) -> None:
    file = tmp_path / "data" / "warehouse.duckdb"
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    stated(CliRunner().invoke(main, ["build", *config]), str(file))
    pointer = json.loads((tmp_path / "data" / "snapshots" / "current.json").read_text())
    snapshot = tmp_path / "data" / "snapshots" / pointer["file"]
    snapshot.write_bytes(b"not a database" * 4096)
    stated(CliRunner().invoke(main, ["export", "runs", *config]), "breakeven build")
    snapshot.unlink()
    stated(CliRunner().invoke(main, ["export", "runs", *config]), "breakeven build")
    file.unlink()
    assert CliRunner().invoke(main, ["build", *config]).exit_code == 0
    assert CliRunner().invoke(main, ["export", "runs", *config]).exit_code == 0


def test_a_damaged_delivery_is_no_traceback(config: list[str], tmp_path: Path) -> None:
    (part,) = (tmp_path / "data" / "raw" / "focus").rglob("*.parquet")
    part.write_bytes(part.read_bytes()[:100])
    (tmp_path / "data" / "warehouse.duckdb").unlink()
    stated(CliRunner().invoke(main, ["build", *config]), part.name)


def test_the_same_extra_tag_twice_is_no_traceback(config: list[str]) -> None:
    result = CliRunner().invoke(main, ["build", *config], env={"BREAKEVEN_TAGS__EXTRA": "a,a"})
    if result.exit_code:
        stated(result, "tags.extra")


def test_nothing_to_pull_from_is_said_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    stated(CliRunner().invoke(main, ["ingest"]), "no [[sources]] are configured", "breakeven init")
    assert list(tmp_path.iterdir()) == []
