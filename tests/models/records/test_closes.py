"""A close is a file that is written once, read back as it was, and refused once it was changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from models.contract.errors import StorageError
from models.records.closes import Closes
from models.records.statement import read
from tests.support.closing.killed import small


def test_a_close_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    closes, close = Closes(tmp_path), small("J. Doe")
    assert closes.add(close) == tmp_path / "closes" / "2025-09" / "0001.json"
    assert closes.versions("2025-09") == closes.newest_versions() == [close]
    assert read(close.statement.document()).sha256 == close.statement.sha256


def test_a_version_is_never_written_again(tmp_path: Path) -> None:
    closes = Closes(tmp_path)
    path = closes.add(small("first"))
    before = path.read_bytes()
    with pytest.raises(StorageError, match="it is never replaced"):
        closes.add(small("second"))
    assert path.read_bytes() == before


def test_a_close_that_was_changed_is_refused_by_name(tmp_path: Path) -> None:
    closes = Closes(tmp_path)
    path = closes.add(small("J. Doe"))
    path.write_text(path.read_text().replace("J. Doe", "A. Fox"))
    with pytest.raises(StorageError, match="is not as it was closed"):
        closes.every()


@pytest.mark.parametrize(
    "damage", ["[]", "null", '{"statement": []}', '{"statement": {"tables": 5}}']
)
def test_a_close_that_is_other_json_is_one_line_with_the_remedy(
    damage: str, tmp_path: Path
) -> None:
    """Each build, statement and mail reads every close."""
    closes = Closes(tmp_path)
    path = closes.add(small("J. Doe"))
    path.write_text(damage)
    with pytest.raises(
        StorageError, match=f"cannot read {path}.*restore the file from your backup"
    ):
        closes.every()
