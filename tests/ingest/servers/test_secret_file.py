"""A token comes from a file that holds it alone, and is in no message."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest.servers.secret_file import secret
from models.contract.errors import SourceError


def test_the_space_around_a_token_is_no_part_of_it(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("\n local-0123456789abcdef \n")
    assert secret(tmp_path / "key") == "local-0123456789abcdef"


@pytest.mark.parametrize("held", ["", "S3CRET\nS3CRET", "S3CRET and more", "S3CRÉT", "S3CRET\0"])
def test_what_no_header_can_carry_is_refused_and_not_shown(tmp_path: Path, held: str) -> None:
    (tmp_path / "key").write_text(held)
    with pytest.raises(SourceError, match=r"^token_file holds no token: key ") as raised:
        secret(tmp_path / "key")
    assert "S3C" not in str(raised.value)


def test_a_file_that_cannot_be_read_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"cannot read token_file: .*No such file"):
        secret(tmp_path / "key")
    (tmp_path / "key").write_bytes(b"S3CRET\xff")
    with pytest.raises(SourceError, match="cannot read token_file") as raised:
        secret(tmp_path / "key")
    assert "S3C" not in str(raised.value)
