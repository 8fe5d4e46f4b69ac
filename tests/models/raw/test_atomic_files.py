"""What is written appears whole, where it was meant to, or is refused in one line."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from models.contract.errors import StorageError
from models.raw import atomic_files


def test_a_link_keeps_being_one_and_its_target_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "real.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to("real.csv")
    with atomic_files.replace_file(tmp_path / "link.csv") as draft:
        draft.write_text("new")
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "real.csv").read_text() == "new"


def test_what_failed_half_way_leaves_the_old_file_and_no_draft(tmp_path: Path) -> None:
    target = tmp_path / "real.csv"
    target.write_text("old")
    with pytest.raises(UnicodeEncodeError), atomic_files.replace_file(target) as draft:
        draft.write_text("half \ud800", encoding="utf-8")
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_device_is_written_to_not_replaced() -> None:
    device = Path("/dev/full")
    with (
        pytest.raises(StorageError, match="No space left"),
        atomic_files.replace_file(device) as draft,
        draft.open("w") as file,
    ):
        file.write("too much")
    assert device.is_char_device()


def test_a_folder_and_a_missing_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="a folder"), atomic_files.replace_file(tmp_path):
        pass
    with (
        pytest.raises(StorageError, match="no such folder"),
        atomic_files.replace_file(tmp_path / "no" / "a.csv"),
    ):
        pass


def test_a_place_where_no_folder_can_be_made_is_refused() -> None:
    with pytest.raises(StorageError, match="no folder can be made"):
        atomic_files.replace_json(Path("/proc/none/a.json"), {})


@pytest.mark.parametrize(
    ("number", "remedy"),
    [
        (errno.EROFS, "the file system is read-only: name another place"),
        (errno.EACCES, "give this user the right to write there, or name another place"),
        (errno.EBUSY, "a file that is mounted by itself cannot be replaced: mount its folder"),
    ],
)
def test_a_file_that_the_user_named_is_not_about_the_warehouse(
    tmp_path: Path, number: int, remedy: str
) -> None:
    target = tmp_path / "september.csv"
    with pytest.raises(StorageError) as caught, atomic_files.replace_file(target):
        raise OSError(number, os.strerror(number))
    assert str(caught.value) == f"cannot write {target}: {os.strerror(number)} ({remedy})"
