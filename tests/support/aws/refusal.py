"""What AWS refuses with."""

from __future__ import annotations


class Refusal(Exception):  # noqa: N818 - what AWS calls an error code
    """A documented error."""

    def __init__(self, code: str, message: str = "") -> None:
        super().__init__(message)
        self.code = code
