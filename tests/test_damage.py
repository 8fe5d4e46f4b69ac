"""What a crash or a bad disk leaves behind is named in one line, with the remedy."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import duckdb
import pytest
from click.testing import CliRunner, Result

from breakeven import main
from models.engine.warehouse.snapshots import Snapshots
from tests.support.world import World, one_core, write


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a config and a bill; ingested and built."""
    world = World(tmp_path_factory.mktemp("built"))
    world.charge("2025-10-30T00:00:00", "1.00")
    write(world.folder / "bill.csv", world.charges)
    file = world.folder / "breakeven.toml"
    source = '[[sources]]\nkind = "focus"\nlocation = "bill.csv"\n'
    file.write_text(f"as_of = 2025-10-31\n{source}")
    for verb in ("ingest", "build"):
        assert invoke(verb, "--config", str(file)).exit_code == 0
    return world.folder


def invoke(*arguments: str, **environ: str) -> Result:
    with one_core():
        return CliRunner().invoke(main, arguments, env=environ)


@pytest.fixture
def config(built: Path, tmp_path: Path) -> list[str]:
    """`--config` of a built world that a test may damage."""
    shutil.copytree(built, tmp_path, dirs_exist_ok=True)
    return ["--config", str(tmp_path / "breakeven.toml")]


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
        stated(invoke("build", *config), str(file), "delete it and run `breakeven build`")


def test_a_truncated_warehouse_or_snapshot_is_no_traceback(
    config: list[str], tmp_path: Path
) -> None:
    file = tmp_path / "data" / "warehouse.duckdb"
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    stated(invoke("build", *config), str(file))
    pointer = json.loads((tmp_path / "data" / "snapshots" / "current.json").read_text())
    snapshot = tmp_path / "data" / "snapshots" / pointer["file"]
    snapshot.write_bytes(b"not a database" * 4096)
    stated(invoke("export", "runs", *config), "breakeven build")
    snapshot.unlink()
    stated(invoke("export", "runs", *config), "breakeven build")
    file.unlink()
    assert invoke("build", *config).exit_code == 0
    assert invoke("export", "runs", *config).exit_code == 0


def test_a_snapshot_of_another_version_is_named_to_every_reader(
    config: list[str], tmp_path: Path
) -> None:
    (file,) = (tmp_path / "data" / "snapshots").glob("*.duckdb")
    with duckdb.connect(str(file)) as connection:
        connection.execute("ALTER TABLE break_even DROP COLUMN roi")
    for name in ("runs", "break_even"):
        said = ("published by another version", "break_even.roi", "run `breakeven build`")
        stated(invoke("export", name, *config), *said)


READS = (("export", "freshness"), ("what-if", "--workload", "w"))


def healed(config: list[str]) -> None:
    """A build publishes anew, and what is published can be read."""
    result = invoke("build", *config)
    assert (result.exit_code, "published" in result.stdout) == (0, True), result.stderr
    assert invoke("export", "freshness", *config).exit_code == 0


@pytest.mark.parametrize("damage", ["", "{bad"])
def test_a_damaged_pointer_is_named_and_a_build_replaces_it(
    config: list[str], tmp_path: Path, damage: str
) -> None:
    pointer = tmp_path / "data" / "snapshots" / "current.json"
    for text in (damage, "[]", "null", '{"folder": 1}'):
        pointer.write_text(text)
        for verb in READS:
            result = invoke(*verb, *config)
            stated(result, f"{pointer} is damaged", "(`breakeven build` writes it anew)")
            assert "char" not in result.stderr
    pointer.write_text(damage)
    healed(config)


def test_a_damaged_snapshot_does_not_stop_a_build(config: list[str], tmp_path: Path) -> None:
    snapshots = tmp_path / "data" / "snapshots"
    (file,) = snapshots.glob("*.duckdb")
    good = file.read_bytes()
    assert Snapshots(snapshots).answer("SELECT snapshot_id FROM snapshot")
    for damage in (b"junk" * 4096, good[:9000], good[:12288] + bytes(len(good) - 12288)):
        file.write_bytes(damage)
        assert Snapshots(snapshots).answer("SELECT snapshot_id FROM snapshot") is None
        for verb in READS:
            stated(invoke(*verb, *config), file.name, "delete it and run")
    healed(config)


def test_a_damaged_delivery_is_no_traceback(config: list[str], tmp_path: Path) -> None:
    (part,) = (tmp_path / "data" / "raw" / "focus").rglob("*.parquet")
    part.write_bytes(part.read_bytes()[:100])
    (tmp_path / "data" / "warehouse.duckdb").unlink()
    stated(invoke("build", *config), part.name)


def test_the_same_extra_tag_twice_is_no_traceback(config: list[str]) -> None:
    result = invoke("build", *config, BREAKEVEN_TAGS__EXTRA="a,a")
    stated(result, "BREAKEVEN_TAGS__EXTRA = ['a', 'a']", "'a' is given more than once")


def test_nothing_to_pull_from_is_said_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    stated(invoke("ingest"), "no [[sources]] are configured", "breakeven init")
    assert list(tmp_path.iterdir()) == []
