"""A growing file is read on from where it was left: each whole line once, none lost."""

from __future__ import annotations

import tempfile
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.raw.appended_lines import AppendedLines, AppendOnlyReader


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    return tmp_path / "journal.jsonl"


def append(path: Path, text: bytes) -> None:
    with path.open("ab") as file:
        file.write(text)


def test_lines_are_read_once_and_then_only_new_ones(journal: Path) -> None:
    reader = AppendOnlyReader(journal)
    append(journal, b"one\ntwo\n")
    assert reader.read_new().lines == [b"one", b"two"]
    assert reader.read_new() == AppendedLines([])
    append(journal, b"three\n")
    assert reader.read_new() == AppendedLines([b"three"])


def test_a_file_that_is_not_there_yet_has_no_lines(journal: Path) -> None:
    reader = AppendOnlyReader(journal)
    assert reader.read_new() == AppendedLines([])
    append(journal, b"one\n")
    assert reader.read_new() == AppendedLines([b"one"])


def test_an_unfinished_line_comes_once_it_is_finished(journal: Path) -> None:
    reader = AppendOnlyReader(journal)
    append(journal, b"one\ntw")
    assert reader.read_new().lines == [b"one"]
    assert reader.read_new().lines == []
    append(journal, b"o\n")
    assert reader.read_new() == AppendedLines([b"two"])


@pytest.mark.parametrize("other", [b"uno\n", b"uno\ndos\ntres\ncuatro\n"])
def test_another_file_in_its_place_is_read_from_its_beginning(journal: Path, other: bytes) -> None:
    reader = AppendOnlyReader(journal)
    append(journal, b"one\ntwo\n")
    reader.read_new()
    draft = journal.with_suffix(".new")
    draft.write_bytes(other)
    draft.replace(journal)
    assert reader.read_new() == AppendedLines(other.splitlines(), replaced=True)
    append(journal, b"last\n")
    assert reader.read_new() == AppendedLines([b"last"])


def test_a_file_cut_short_is_read_anew(journal: Path) -> None:
    reader = AppendOnlyReader(journal)
    append(journal, b"one\ntwo\n")
    reader.read_new()
    journal.write_bytes(b"one\n")
    assert reader.read_new() == AppendedLines([b"one"], replaced=True)


def test_a_file_that_was_removed_has_lost_its_lines_and_that_is_told_once(journal: Path) -> None:
    reader = AppendOnlyReader(journal)
    append(journal, b"one\n")
    reader.read_new()
    journal.unlink()
    assert reader.read_new() == AppendedLines([], replaced=True)
    assert reader.read_new() == AppendedLines([])
    append(journal, b"one\n")
    assert reader.read_new().lines == [b"one"]


@settings(max_examples=40, derandomize=True)
@given(
    lines=st.lists(st.text("ab", min_size=1, max_size=4), max_size=6),
    cuts=st.lists(st.integers(0, 30), max_size=6),
)
def test_wherever_the_writer_pauses_each_line_is_read_once_in_order(
    lines: list[str], cuts: list[int]
) -> None:
    whole = "".join(f"{line}\n" for line in lines).encode()
    places = sorted({0, *(min(cut, len(whole)) for cut in cuts), len(whole)})
    found: list[bytes] = []
    with tempfile.TemporaryDirectory() as folder:
        reader = AppendOnlyReader(Path(folder) / "journal")
        for begin, end in pairwise(places):
            append(reader.path, whole[begin:end])
            more, replaced = reader.read_new()
            assert not replaced
            found += more
    assert found == [line.encode() for line in lines]
