"""What a command prints reaches a terminal or a file, whatever the locale."""

from __future__ import annotations

import sys
from io import BytesIO, TextIOWrapper

import pytest

from breakeven.output import write_utf_8


class Terminal(BytesIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("taken", "bytes_of"),
    [(BytesIO(), "модель-7b …".encode()), (Terminal(), b"??????-7b ?")],
    ids=["a file", "a terminal"],
)
def test_in_a_locale_that_is_not_utf_8_nothing_ends_half_way(
    monkeypatch: pytest.MonkeyPatch, taken: BytesIO, bytes_of: bytes
) -> None:
    monkeypatch.setattr(sys, "stdout", TextIOWrapper(taken, encoding="iso8859-1"))
    write_utf_8()
    sys.stdout.write("модель-7b …")
    sys.stdout.flush()
    assert taken.getvalue() == bytes_of
