"""What is wrong with a delivered CSV or JSON file, in words for whoever wrote it."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from models.intake import malformed_files
from models.intake.malformed_files import Malformed

CORRECT = "correct the file and deliver it again"
WHOLE = "deliver the file again, whole"


def written(folder: Path, content: bytes, name: str = "a.csv") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    "content",
    [b"", b"a,b\n", b"a,b\n1,2\n\n3,4\n", b"a,b\r\n1,2\r\n", b'a,b\n"1\n2",3\n', b'a\n"x""y"\n'],
)
def test_nothing_is_wrong_with_a_whole_csv(tmp_path: Path, content: bytes) -> None:
    assert malformed_files.first_bad_csv_line(written(tmp_path, content)) is None


@pytest.mark.parametrize(
    "content", [b"{}\n", b'{"a": {"a": 1}}\n', b'\n \n{"a": [1]}\n', b'{"a": 1}']
)
def test_nothing_is_wrong_with_json_objects_and_blank_lines(tmp_path: Path, content: bytes) -> None:
    assert malformed_files.first_bad_json_line(written(tmp_path, content, "a.jsonl")) is None


@pytest.mark.parametrize(
    ("content", "problem", "remedy"),
    [
        (b"a|b\n1|2\n", "the columns are separated by '|'", "deliver it with commas"),
        (b"\xef\xbb\xbfa,A\n", "the column A appears twice", "deliver it once"),
        (b"a;b,c\n", None, None),
        (b"a,,\n", None, None),
        (b"a\n", None, None),
        (b"", None, None),
    ],
)
def test_a_header_of_another_separator_or_with_a_name_twice_is_bad(
    tmp_path: Path, content: bytes, problem: str | None, remedy: str | None
) -> None:
    found = malformed_files.bad_header(written(tmp_path, content))
    assert found == (Malformed(problem, remedy) if problem and remedy else None)


@pytest.mark.parametrize(
    ("content", "names"),
    [
        (b"\xef\xbb\xbfa, b \n1,2\n", ["a", "b"]),
        (b'\n"a,b",c\n', ["a,b", "c"]),
        (b"", []),
    ],
)
def test_columns_are_read_without_mark_quotes_and_spaces(
    tmp_path: Path, content: bytes, names: list[str]
) -> None:
    assert malformed_files.columns(written(tmp_path, content)) == names
    packed = written(tmp_path, gzip.compress(content), "a.CSV.GZ")
    assert malformed_files.columns(packed) == names


@pytest.mark.parametrize(("row", "line"), [(0, 2), (1, 4), (2, 6), (3, None)])
def test_a_row_is_found_on_the_line_where_it_begins(
    tmp_path: Path, row: int, line: int | None
) -> None:
    """The first row takes lines 2 and 3, and line 5 is blank."""
    content = b'a,b\n"1\n1",2\n3,4\n\n5,6\n'
    assert malformed_files.line_of(written(tmp_path, content), row) == line
    assert malformed_files.line_of(written(tmp_path, gzip.compress(content), "a.csv.gz"), row) == (
        line
    )


def test_no_line_is_known_of_a_file_that_is_gone_or_no_csv(tmp_path: Path) -> None:
    assert malformed_files.line_of(tmp_path / "none.csv", 0) is None
    assert malformed_files.line_of(written(tmp_path, b"a\n1\n", "a.parquet"), 0) is None


def test_only_the_first_bad_line_is_named(tmp_path: Path) -> None:
    found = malformed_files.first_bad_csv_line(written(tmp_path, b"a,b\n1\n1,2,3\n"))
    assert found == Malformed("line 2 has 1 values where the header names 2", CORRECT)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b"null", "line 2 is not a JSON object"),
        (b'"text"', "line 2 is not a JSON object"),
        (b"{}{}", "line 2 is not JSON"),
        (b"{'a': 1}", "line 2 is not JSON"),
        (b"[" * 100_000, "line 2 is not JSON"),
    ],
)
def test_a_line_that_is_no_object_is_named_and_not_quoted(
    tmp_path: Path, line: bytes, problem: str
) -> None:
    found = malformed_files.first_bad_json_line(written(tmp_path, b"{}\n" + line, "a.jsonl"))
    assert found == Malformed(problem, CORRECT)


def test_a_value_of_eighty_characters_is_shown_whole() -> None:
    assert malformed_files.shown("x" * 80) == "x" * 80
    assert malformed_files.shown("x" * 81) == "x" * 79 + "…"
    assert malformed_files.shown("a\x1b[2Jb") == "a·[2Jb"


@pytest.mark.parametrize("field", ['"' + "x" * 1_100_000 + '"', "x\n" * 600_000])
def test_a_value_or_line_that_never_ends_is_named_by_its_line(tmp_path: Path, field: str) -> None:
    quoted = field if field.startswith('"') else f'"{field}"'
    path = written(tmp_path, f"a,b\n1,2\n3,{quoted}\n4\n".encode())
    found = malformed_files.first_bad_csv_line(path)
    assert found == Malformed("a value of line 3 is longer than 1 MiB", CORRECT)
    path = written(tmp_path, b'{"a": 1}\n{"a": "' + b"x" * 2_200_000, "a.jsonl")
    assert malformed_files.first_bad_json_line(path) == (
        Malformed("line 2 is longer than 2 MiB", CORRECT)
    )


@pytest.mark.parametrize("begin", [b"\xff\xfe", b"\xfe\xff"])
def test_utf_16_of_either_order_is_told_to_be_saved_as_utf_8(tmp_path: Path, begin: bytes) -> None:
    found = malformed_files.first_bad_json_line(written(tmp_path, begin + b"{\0", "a.jsonl"))
    remedy = "save it as UTF-8 and deliver it again"
    assert found == Malformed("the file is UTF-16, not UTF-8", remedy)


def test_gzip_data_that_is_cut_off_damaged_or_none_is_told_apart(tmp_path: Path) -> None:
    packed = gzip.compress(b'{"a": 1}\n' * 1000)
    flipped = packed[:-8] + bytes([packed[-8] ^ 0xFF]) + packed[-7:]
    for content, problem in (
        (packed[:-9], "the file is cut off: its gzip data ends too early"),
        (flipped, "its gzip data is damaged"),
        (b'{"a": 1}\n', "this is not gzip data"),
    ):
        path = written(tmp_path, content, "a.jsonl.gz")
        assert malformed_files.first_bad_json_line(path) == Malformed(problem, WHOLE)
