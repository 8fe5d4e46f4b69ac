"""Reads a secret that a server wants to see, such as a token, from the file that holds it."""

from __future__ import annotations

from pathlib import Path

from models.contract.errors import SourceError


def secret(path: Path) -> str:
    """Returns the token in a file, without space around it. Raises `SourceError`, never showing it.

    One that no header can carry is refused here: the error of a header would show it.
    """
    try:
        held = path.read_text(encoding="utf-8").strip()
    except (OSError, ValueError) as error:
        raise SourceError("cannot read token_file", value=error, remedy="correct it") from None
    if not held or not held.isascii() or not held.isprintable() or " " in held:
        raise SourceError(
            "token_file holds no token", value=path.name, remedy="write the token alone into it"
        )
    return held
