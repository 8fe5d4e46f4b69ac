"""A backup holds what cannot be made again, and a month is verified from it alone."""

from __future__ import annotations

import io
import json
import shutil
import tarfile
import tempfile
from pathlib import Path

import pyarrow as pa
import pytest
from click.testing import CliRunner, Result

from breakeven import main
from models.engine.warehouse.lock import lock
from models.records import restoring
from models.records.audit import faults
from models.records.closes import Closes
from tests.support.earlier_versions import unpacked
from tests.support.world import World, one_core, write

CONFIG = """as_of = 2025-10-31
smtp.password = "S3CRET"   # mine
[[sources]]
kind = "focus"
location = "bill.csv"
[[sources]]
kind = "progress_file"
location = "progress.csv"
[[recipients]]
name = "ops"
kind = "chat"
url = 'https://hooks.example.com/S3CRET-2'
"""


def invoke(folder: Path, verb: str, *words: str) -> Result:
    with one_core():
        return CliRunner().invoke(main, [verb, "--config", f"{folder}/breakeven.toml", *words])


def run(folder: Path, verb: str, *words: str) -> str:
    result = invoke(folder, verb, *words)
    assert result.exit_code == 0, result.output
    return result.stdout


def refused(folder: Path, *words: str) -> str:
    result = invoke(folder, *words)
    assert result.exit_code == 1, result.output
    (line,) = result.stderr.splitlines()
    return line


def members(file: Path) -> dict[str, bytes]:
    with (
        pa.input_stream(str(file), compression="zstd") as packed,
        tarfile.open(fileobj=packed, mode="r|") as tar,
    ):
        return {member.name: tar.extractfile(member).read() for member in tar}  # type: ignore[union-attr]


def repacked(file: Path, content: dict[str, bytes]) -> None:

    with (
        pa.output_stream(str(file), compression="zstd") as packed,
        tarfile.open(fileobj=packed, mode="w|") as tar,
    ):
        for name, text in content.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            tar.addfile(member, io.BytesIO(text))


@pytest.fixture(scope="module")
def company(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A company with a closed month, and secrets in its config."""
    world = World(tmp_path_factory.mktemp("company"))
    world.run("g1", "p4d.24xlarge", "2025-08-02T00:00:00", 10, 25, 10)
    world.charge("2025-10-30T00:00:00", "1.00")
    write(world.folder / "bill.csv", world.charges)
    write(world.folder / "progress.csv", world.samples)
    (world.folder / "breakeven.toml").write_text(CONFIG)
    for words in (("ingest",), ("build",), ("close", "2025-08", "--by", "J. Doe")):
        run(world.folder, *words)
    return world.folder


@pytest.fixture(scope="module")
def whole(company: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A backup with raw files, made while another process writes the warehouse."""
    file = tmp_path_factory.mktemp("backups") / "whole.tar.zst"
    with lock(company / "data", purpose="ingest"):
        run(company, "backup", str(file), "--raw")
    return file


def test_a_month_is_verified_in_an_empty_folder_that_a_backup_was_restored_into(
    company: Path, whole: Path, tmp_path: Path
) -> None:
    assert whole.stat().st_mode & 0o777 == 0o600
    empty = tmp_path / "empty"
    said = run(empty, "restore", str(whole))
    assert f"Wrote {empty}/breakeven.toml: set its secrets again" in said
    closes = Closes(empty / "data").every()
    assert [close.called for close in closes] == ["2025-08 version 1"]
    assert "every figure agrees" in run(empty, "verify", "2025-08")
    assert run(empty, "audit", "--verify").endswith("every line is as it was written\n")
    assert faults(company / "data") == []
    assert {path.name for path in empty.iterdir()} == {"breakeven.toml", "data"}
    run(empty, "build")


def test_every_close_of_an_earlier_version_is_verified_after_a_restore(tmp_path: Path) -> None:
    world, file = unpacked("closes", tmp_path), tmp_path / "b.tar.zst"
    run(world, "backup", str(file), "--raw")
    run(tmp_path / "empty", "restore", str(file))
    for close in Closes(world / "data").every():
        assert run(tmp_path / "empty", "verify", close.month) == run(world, "verify", close.month)


def test_a_backup_holds_no_secret_and_without_raw_no_delivered_file(
    company: Path, tmp_path: Path
) -> None:
    run(company, "backup", str(tmp_path / "b.tar.zst"))
    held = members(tmp_path / "b.tar.zst")
    assert b"S3CRET" not in b"".join(held.values())
    assert held["breakeven.toml"].decode() == CONFIG.replace("S3CRET", "…", 1).replace(
        "https://hooks.example.com/S3CRET-2", "…"
    )
    assert json.loads(held["backup.json"])["raw"] is False
    names = {name.removeprefix("data/").split("/")[0] for name in held}
    assert names == {
        *("backup.json", "sha256.json", "breakeven.toml", "closes", "raw"),
        *("audit.jsonl", "audit.json", "deliveries.jsonl"),
    }
    assert not [name for name in held if name.endswith(".parquet")]
    assert len([name for name in held if name.endswith("_delivery.json")]) == 3


def test_what_a_backup_without_raw_lacks_is_delivered_again_or_named_at_once(
    company: Path, tmp_path: Path
) -> None:
    """Without the files of the bill's two months, of progress and of prices."""
    run(company, "backup", str(tmp_path / "b.tar.zst"))
    empty = tmp_path / "empty"
    said = run(empty, "restore", str(tmp_path / "b.tar.zst"))
    assert said.endswith("Next: breakeven ingest, to deliver the files again, then build\n")
    markers = sorted(empty.glob("data/raw/*/*/*/*/_delivery.json"))
    folders = [str(marker.parent.relative_to(empty / "data" / "raw")) for marker in markers]
    line = refused(empty, "build")
    assert line.startswith(f"breakeven: delivered files are gone from {empty}/data/raw: ")
    assert [folder in line for folder in folders] == [True] * len(folders)
    for name in ("bill.csv", "progress.csv"):
        shutil.copy(company / name, empty)
    run(empty, "ingest")
    run(empty, "build")


def test_a_restore_replaces_nothing_and_leaves_nothing_when_it_is_refused(
    company: Path, whole: Path, tmp_path: Path
) -> None:
    assert refused(company, "restore", str(whole)) == (
        f"breakeven: {company}/data is not empty: audit.json (restore into an empty folder)"
    )
    content = members(whole)
    close = next(name for name in content if "/closes/" in name)
    spoilt = {
        "changed": content | {close: content[close] + b" "},
        "without": {name: text for name, text in content.items() if name != close},
        "more": {"data/closes/x.json": b"{}", **content},
    }
    for name, changed in spoilt.items():
        repacked(tmp_path / "b.tar.zst", changed)
        line = refused(tmp_path / "empty", "restore", str(tmp_path / "b.tar.zst"))
        place = "data/closes/x.json" if name == "more" else close
        assert line == (
            f"breakeven: {tmp_path}/b.tar.zst is damaged: {place} (use another copy of the backup)"
        )
    repacked(tmp_path / "b.tar.zst", {"../outside": b"x", **content})
    assert "../outside is not a file of a backup" in refused(
        tmp_path / "empty", "restore", str(tmp_path / "b.tar.zst")
    )
    (tmp_path / "b.tar.zst").write_bytes(whole.read_bytes()[:-900])
    assert "is not a whole backup" in refused(
        tmp_path / "empty", "restore", str(tmp_path / "b.tar.zst")
    )
    newer = json.loads(content["backup.json"]) | {"schema": 99}
    repacked(tmp_path / "b.tar.zst", content | {"backup.json": json.dumps(newer).encode()})
    assert "was written by a newer version of breakeven: schema 99" in refused(
        tmp_path / "empty", "restore", str(tmp_path / "b.tar.zst")
    )
    about = json.loads(content["backup.json"])
    strange: dict[str, dict[str, bytes]] = {
        "data/web.json is not a file of a backup": content | {"data/web.json": b"{}"},
        "is not a whole backup: 'made_at'": content | {"backup.json": b'{"schema": 1}'},
        "Invalid isoformat string": content
        | {"backup.json": json.dumps(about | {"made_at": "x"}).encode()},
        "it has no files of a warehouse": {"backup.json": content["backup.json"]},
    }
    for why, changed in strange.items():
        repacked(tmp_path / "b.tar.zst", changed)
        line = refused(tmp_path / "empty", "restore", str(tmp_path / "b.tar.zst"))
        assert "is not a whole backup" in line
        assert why in line
    assert list((tmp_path / "empty").iterdir()) == []
    assert not (tmp_path / "outside").exists()


def test_a_secret_that_cannot_be_found_in_the_text_stops_the_backup(tmp_path: Path) -> None:
    (tmp_path / "breakeven.toml").write_text('smtp.password = "S3\\u0043RET"\n')
    line = refused(tmp_path, "backup", str(tmp_path / "b.tar.zst"))
    assert "a secret cannot be taken out for a backup" in line
    assert not (tmp_path / "b.tar.zst").exists()


def test_a_config_that_begins_with_a_byte_order_mark_is_backed_up(tmp_path: Path) -> None:
    """As some editors on Windows write one; every other verb reads such a config."""
    config = '\ufeffsmtp.password = "S3CRET"\n'
    (tmp_path / "breakeven.toml").write_text(config, encoding="utf-8")
    run(tmp_path, "backup", str(tmp_path / "b.tar.zst"))
    held = members(tmp_path / "b.tar.zst")["breakeven.toml"]
    assert held.decode() == 'smtp.password = "…"\n'


def test_beside_a_config_nothing_is_restored(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be mounted read-only, as in our own containers, with the warehouse on a volume."""
    mounted, volume = tmp_path / "mounted", tmp_path / "volume"
    mounted.mkdir()
    config = f'warehouse.path = "{volume}/warehouse.duckdb"\n{CONFIG}'
    (mounted / "breakeven.toml").write_text(config)
    made: list[Path] = []

    class Recorded(tempfile.TemporaryDirectory[str]):
        def __init__(self, prefix: str, dir: Path) -> None:
            made.append(dir)
            super().__init__(prefix=prefix, dir=dir)

    monkeypatch.setattr(restoring.tempfile, "TemporaryDirectory", Recorded)
    run(mounted, "restore", str(whole))
    assert set(made) == {volume}
    assert {path.name for path in mounted.iterdir()} == {"breakeven.toml"}
    assert "every figure agrees" in run(mounted, "verify", "2025-08")


def test_where_nothing_can_be_unpacked_is_said_in_one_line(whole: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert refused(tmp_path / "file", "restore", str(whole)) == (
        f"breakeven: cannot write {tmp_path}/file: File exists "
        "(a file is where a folder is needed: set `warehouse.path` elsewhere)"
    )
