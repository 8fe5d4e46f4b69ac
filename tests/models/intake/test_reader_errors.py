"""What becomes of an error that DuckDB raises while it reads a delivered file."""

from __future__ import annotations

import pytest

from models.intake.reader_errors import INTERRUPTED, reader_errors


@pytest.mark.parametrize(
    ("message", "becomes"),
    [(INTERRUPTED, KeyboardInterrupt), ("generator raised StopIteration", RuntimeError)],
)
def test_ctrl_c_during_a_query_is_an_interrupt_and_no_defect(
    message: str, becomes: type[BaseException]
) -> None:
    """A defect of one source ends no other's pull; Ctrl-C ends them all."""
    with pytest.raises(becomes) as raised, reader_errors("a.csv"):
        raise RuntimeError(message)
    assert raised.type is becomes
