"""Files of this machine."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path
from threading import Event

import pytest

from ingest.files.copying import copy_file, copy_files
from ingest.files.folder import Folder
from ingest.files.store import FileEntry, file_key, select_readable
from models.config.loading import validated_settings
from models.contract.errors import InputError
from models.raw import atomic_files
from models.raw.delivery_key import Key
from models.raw.zone import RawZone


def paths(root: Path) -> list[str]:
    return [item.path for item in Folder(root).entries()]


def test_a_folder_a_file_and_a_glob_are_read_alike(tmp_path: Path) -> None:
    for name in ("a/1.csv", "b/1.csv", "b/2.csv", "b/.half.csv", "b/_SUCCESS"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    assert paths(tmp_path) == ["a/1.csv", "b/1.csv", "b/2.csv"]
    assert paths(tmp_path / "b" / "2.csv") == ["2.csv"]
    assert paths(tmp_path / "*" / "1.csv") == ["a/1.csv", "b/1.csv"]
    assert paths(tmp_path / "nowhere") == paths(tmp_path / "nowhere" / "*.csv") == []


@pytest.mark.parametrize("pattern", ["", "*.csv", "*/*.csv"])
def test_a_link_out_of_the_folder_is_refused_and_one_inside_is_followed(
    tmp_path: Path, pattern: str
) -> None:
    inside, secret = tmp_path / "in" / "x", tmp_path / "secret.csv"
    inside.mkdir(parents=True)
    secret.write_text("root:x:0:0\n")
    for folder in (inside, inside.parent):
        (folder / "a.csv").write_text("a\n1\n")
        (folder / "b.csv").symlink_to("a.csv")
    assert len(paths(tmp_path / "in")) == 4
    for folder in (inside, inside.parent):
        (folder / "c.csv").symlink_to(secret)
    with pytest.raises(InputError) as refused:
        paths(tmp_path / "in" / pattern)
    link = inside / "c.csv" if pattern == "*/*.csv" else tmp_path / "in" / "c.csv"
    assert str(refused.value) == (
        f"a link leads out of the configured folder: {link} "
        "(put the file itself there, or remove the link)"
    )
    assert paths(tmp_path / "in" / "c.csv") == ["c.csv"]  # named by the config itself


def test_a_link_to_a_folder_elsewhere_is_refused(tmp_path: Path) -> None:
    """Folders behind links are not walked through: their months would be missed without a word."""
    for folder in ("in/a", "elsewhere"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "1.csv").write_text("x")
    (tmp_path / "in" / "same").symlink_to("a")
    (tmp_path / "in" / ".hidden").symlink_to(tmp_path / "elsewhere")
    assert paths(tmp_path / "in") == ["a/1.csv"]
    (tmp_path / "in" / "b").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError, match=r"a link leads out of the configured folder: .*/in/b \("):
        paths(tmp_path / "in")


def test_a_folder_that_this_user_may_not_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (closed := tmp_path / "in" / "2026-08").mkdir(parents=True)
    (tmp_path / "in" / "1.csv").write_text("x")
    may = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: path != closed and may(path, mode))
    with pytest.raises(InputError) as refused:
        paths(tmp_path / "in")
    assert str(refused.value) == (
        f"cannot read {closed}: Permission denied (let this user read the folder, or move it away)"
    )
    assert paths(tmp_path / "in" / "*.csv") == ["1.csv"]
    (tmp_path / "in" / "lost+found").mkdir()
    for listed in ("in/*/*.csv", "**/*.csv", "in/2026-0[89]/*/*.csv", "in/2026-08"):
        with pytest.raises(InputError, match=f"cannot read {closed}: Permission denied"):
            paths(tmp_path / listed)


def test_a_folder_that_need_not_be_listed_may_be_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One whose file a pattern names is only entered; a hidden one is passed over."""
    (closed := tmp_path / "in" / "alice").mkdir(parents=True)
    (closed / "metrics.csv").write_text("x")
    (hidden := tmp_path / "in" / ".Trash-0").mkdir()
    may = {closed: os.X_OK, hidden: 0}
    monkeypatch.setattr(os, "access", lambda path, mode: mode & ~may.get(path, mode) == 0)
    assert paths(tmp_path / "in" / "*" / "metrics.csv") == ["alice/metrics.csv"]
    with pytest.raises(InputError, match=f"cannot read {closed}: Permission denied"):
        paths(tmp_path / "in" / "*" / "*.csv")
    may[closed] = 0
    with pytest.raises(InputError, match=f"cannot read {closed}: Permission denied"):
        paths(tmp_path / "in" / "*" / "metrics.csv")


def test_a_mark_changes_with_the_bytes_only(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("x")
    (item,) = Folder(path).entries()
    before = Folder(path).fingerprint(item)
    path.touch()
    assert Folder(path).fingerprint(item) == before
    path.write_text("y")
    assert Folder(path).fingerprint(item) != before


def test_files_are_fetched_ahead_and_stand_in_their_order(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for number in range(5):
        (tmp_path / "in" / f"{number}.csv").write_text("a\n" + "1\n" * (10 - number))
    folder = Folder(tmp_path / "in")
    with RawZone(tmp_path / "raw").staging(Key("bill", "unit", "all")) as staging:
        copy_files(folder, folder.entries(), staging)
        assert [file.rows for file in staging.files] == [10, 9, 8, 7, 6]
        assert {path.name for path in staging.folder.iterdir()} == {f.name for f in staging.files}
        (tmp_path / "whole.parquet").write_bytes((staging.folder / "00003.parquet").read_bytes())
        copy_file(whole := Folder(tmp_path / "whole.parquet"), *whole.entries(), staging)
        for file in staging.files:  # whether hashed on its way, or after it was converted
            assert file.sha256 == atomic_files.sha256(staging.folder / file.name)


def test_a_fetch_that_is_called_off_copies_no_more(tmp_path: Path) -> None:
    """Else whoever stops a pull would wait for the file that is on its way."""
    (tmp_path / "a.csv").write_text("a\n1\n")
    folder, stop = Folder(tmp_path / "a.csv"), Event()
    (item,) = folder.entries()
    stop.set()
    assert folder.download(item, tmp_path / "copy", stop) == sha256(b"").hexdigest()
    assert (tmp_path / "copy").read_bytes() == b""


def test_a_file_below_the_config_is_named_from_there(tmp_path: Path) -> None:
    settings = validated_settings({}, home=tmp_path)
    (tmp_path / "a.csv").write_text("x")
    (item,) = Folder(tmp_path / "a.csv").entries()
    assert file_key(item, settings) == "a.csv"
    assert file_key(item, validated_settings({}, home=tmp_path / "deeper")) == str(
        tmp_path / "a.csv"
    )


def test_the_longest_known_end_counts() -> None:
    names = ("A.CSV.GZ", "a.snappy.parquet", "a.json", "a")
    items = [FileEntry(name, name, 1, None) for name in names]  # type: ignore[arg-type]
    assert [item.suffix for item in items] == [".csv.gz", ".parquet", "", ""]
    assert select_readable(items, (".parquet",)) == items[1:2]
    with pytest.raises(InputError, match=r"cannot read this kind of file: A.CSV.GZ"):
        select_readable(items, (".parquet",), all_of_them=True)


def test_a_name_that_is_not_utf_8_is_refused_where_it_would_be_read(tmp_path: Path) -> None:
    for name in (b"\xdcbung.txt", "Übung.csv".encode()):
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_text("x")
    assert [item.path for item in select_readable(Folder(tmp_path).entries(), (".csv",))] == [
        "Übung.csv"
    ]
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xdcbung.csv")).write_text("x")
    with pytest.raises(InputError) as refused:
        select_readable(Folder(tmp_path).entries(), (".csv",))
    assert str(refused.value) == (
        f"the name of this file is not UTF-8: {tmp_path}/\\udcdcbung.csv (rename it)"
    )
