"""Files of a backup, and the sums by which a restore checks them."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest

from models.records import backup
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
