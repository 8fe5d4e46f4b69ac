"""JSON documents are written whole, replaced or never replaced, and failures are one line."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest

from models.contract.errors import StorageError
from models.raw import atomic_files


def test_a_replaced_document_is_the_new_one_alone(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "state.json"
    for document in ({"a": 1, "long": "x" * 10_000}, {"b": "é"}):
        atomic_files.replace_json(path, document)
    assert json.loads(path.read_text()) == {"b": "é"}
    assert list(path.parent.iterdir()) == [path]


def test_what_is_no_json_leaves_the_old_document_and_no_draft(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    atomic_files.replace_json(path, {"a": 1})
    with pytest.raises(TypeError):
        atomic_files.replace_json(path, {"a": 2, "b": object()})
    assert json.loads(path.read_text()) == {"a": 1}
    assert list(tmp_path.iterdir()) == [path]


def test_a_created_document_is_never_replaced(tmp_path: Path) -> None:
    path = tmp_path / "close.json"
    atomic_files.create_json(path, {"b": "é", "a": 1})
    assert path.read_text(encoding="utf-8") == '{\n "a": 1,\n "b": "é"\n}'
    with pytest.raises(StorageError) as caught:
        atomic_files.create_json(path, {"a": 2})
    assert str(caught.value) == (f"cannot write {path}: it is there already (it is never replaced)")
    assert json.loads(path.read_text())["a"] == 1
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("number", "remedy"),
    [
        (errno.ENOSPC, "free some space and run again; nothing half-written was kept"),
        (errno.EROFS, "the file system is read-only: set `warehouse.path` elsewhere"),
        (errno.EACCES, "give this user the right to write there, or set `warehouse.path` "
                       "elsewhere"),
        (errno.EFBIG, "the file size limit of this process is too small"),
    ],
)  # fmt: skip
def test_a_refusal_of_the_disk_names_the_file_and_a_remedy(number: int, remedy: str) -> None:
    reason = os.strerror(number)
    with pytest.raises(StorageError) as caught, atomic_files.write_errors(Path("raw/a")):
        raise OSError(number, reason)
    assert str(caught.value) == f"cannot write raw/a: {reason} ({remedy})"
    with pytest.raises(StorageError) as caught, atomic_files.write_errors(Path("raw/a")):
        raise OSError(number, reason, "raw/b")
    assert str(caught.value) == f"cannot write raw/b: {reason} ({remedy})"


def test_an_error_that_is_not_the_disks_passes_through() -> None:
    with pytest.raises(ConnectionResetError), atomic_files.write_errors(Path("raw/a")):
        raise ConnectionResetError(errno.ECONNRESET, "reset")


def test_a_file_where_a_folder_is_needed_is_told(tmp_path: Path) -> None:
    (tmp_path / "raw").write_text("a file")
    with pytest.raises(StorageError, match="a file is where a folder is needed"):
        atomic_files.replace_json(tmp_path / "raw" / "state.json", {})


def test_a_draft_takes_the_name_of_the_file_only_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    with atomic_files.replace_file(path) as draft:
        draft.write_text("new")
        assert not path.exists()
        assert draft.parent == tmp_path
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_a_hash_is_that_of_the_bytes(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"abc")
    assert atomic_files.sha256(tmp_path / "a") == (
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    )
