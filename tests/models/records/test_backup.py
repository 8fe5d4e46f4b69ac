"""Files of a backup, and the sums by which a restore checks them."""

from __future__ import annotations

import errno
import io
import shutil
import tarfile
from pathlib import Path

import pytest

from models.contract.errors import StorageError
from models.records import backup, restoring
from models.records.backup import Archive


def test_a_file_that_is_deleted_while_it_is_read_is_whole_in_the_backup(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A build of the product deletes deliveries that no longer count, whenever it likes."""
    path, target = tmp_path / "a.jsonl", io.BytesIO()
    path.write_bytes(b"one line")
    digest = backup.file_digest

    def deleting(*given: object) -> object:
        found = digest(*given)  # type: ignore[arg-type]
        path.unlink()
        return found

    monkeypatch.setattr(backup, "file_digest", deleting)
    with tarfile.open(fileobj=target, mode="w") as tar:
        archive = Archive(tar)
        archive.add_file("data/a.jsonl", path)
        archive.add_file("data/gone.jsonl", tmp_path / "gone.jsonl")
    target.seek(0)
    with tarfile.open(fileobj=target) as tar:
        members = {member.name: tar.extractfile(member) for member in tar}
        (content,) = [file.read() for file in members.values() if file]
    assert (content, set(archive.sums)) == (b"one line", set(members))


def test_a_disk_that_is_full_half_way_leaves_nothing_of_a_restore(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The warehouse may lie on another disk than the config, beside which it is unpacked."""
    unpacked, data = tmp_path / "unpacked", tmp_path / "data"
    for name in ("audit.jsonl", "closes/2026-09/0001.json"):
        path = unpacked / backup.DATA / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")
    move, moved = shutil.move, list[object]()

    def full(source: Path, target: Path) -> object:
        if moved:
            raise OSError(errno.ENOSPC, "No space left on device", str(target))
        moved.append(move(source, target))
        return moved[0]

    monkeypatch.setattr(shutil, "move", full)
    with pytest.raises(StorageError, match="No space left on device"):
        restoring.restore(unpacked, data)
    assert list(data.iterdir()) == []
    monkeypatch.undo()
    (unpacked / backup.DATA / "audit.jsonl").write_text("{}")
    (unpacked / backup.DATA / "closes" / "2026-09" / "0001.json").write_text("{}")
    assert restoring.restore(unpacked, data) == 2
    assert sorted(path.name for path in data.iterdir()) == ["audit.jsonl", "closes"]


def test_a_disk_that_is_full_leaves_no_half_of_a_restored_config(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An empty file is a valid config, with nothing in it that was invested or moved."""
    (tmp_path / backup.CONFIG).write_text('warehouse.path = "elsewhere/warehouse.duckdb"')

    def full(_source: Path, target: Path) -> None:
        target.write_text("ware")
        raise OSError(errno.ENOSPC, "No space left on device", str(target))

    monkeypatch.setattr(shutil, "copyfile", full)
    path = tmp_path / "new" / "breakeven.toml"
    with pytest.raises(StorageError, match="No space left on device"):
        restoring.write_config(tmp_path, path)
    assert list(path.parent.iterdir()) == []


def test_a_restore_deletes_what_one_that_was_cut_off_left_but_not_what_runs(tmp_path: Path) -> None:
    left = tmp_path / ".restore-cut-off"
    (left / "raw").mkdir(parents=True)
    (left / "raw" / "00000.parquet").write_bytes(b"x" * 1000)
    with restoring.scratch(tmp_path) as running:
        assert not left.exists()
        with restoring.scratch(tmp_path) as second:
            assert sorted(tmp_path.iterdir()) == sorted([running, second])
    assert list(tmp_path.iterdir()) == []
