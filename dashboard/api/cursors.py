"""Encodes and decodes cursors, which say where the next page of rows begins.

A cursor is opaque text with the ETag of the answer that it came with. Once another snapshot is
published it is refused, because the next page would not fit the pages before it.
"""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from typing import NamedTuple

from pydantic import BaseModel, Field, ValidationError
from werkzeug.exceptions import Gone

from dashboard.api.problems import ParameterError

RESTART = "begin again without a cursor"


class Reading(NamedTuple):
    """Identity of the rows a request reads: the answer's ETag, and a digest of its query."""

    etag: str
    rows: str


class Cursor(BaseModel, extra="forbid"):
    """What a page cursor holds: the answer's ETag, a digest of its query, how many rows precede."""

    etag: str
    rows: str
    offset: int = Field(ge=1, lt=1 << 62)


def cursor_after(offset: int, reading: Reading) -> str:
    """Encodes the page cursor of the page that begins after `offset` rows, as URL-safe text."""
    text = Cursor(etag=reading.etag, rows=reading.rows, offset=offset).model_dump_json()
    return urlsafe_b64encode(text.encode()).decode().rstrip("=")


def offset_of(cursor: str | None, reading: Reading) -> int:
    """Decodes a page cursor to the number of rows before its page; 0 without a cursor.

    Raises `ParameterError` for text that is no cursor of these rows, `Gone` (410) where another
    snapshot was published since, or the reader's scope has changed.
    """
    if cursor is None:
        return 0
    try:
        held = Cursor.model_validate_json(urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (Error, ValueError, ValidationError):
        raise ParameterError("cursor", cursor, f"it is not a cursor; {RESTART}") from None
    if held.rows != reading.rows:
        raise ParameterError("cursor", cursor, f"it is of another mart or filter; {RESTART}")
    if held.etag != reading.etag:
        raise Gone(f"cursor: another snapshot was published since the first page ({RESTART})")
    return held.offset
