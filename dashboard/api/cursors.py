"""Cursors: where a page of rows begins, of which rows, and in which snapshot.

A cursor is opaque text. It holds the ETag of the answer that it came with: once that has changed,
the rows after it are others, and it says so instead of giving a page that does not fit the first.
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
    """What a request reads: the ETag of the answer, and a digest of its filters and fields."""

    etag: str
    rows: str


class Cursor(BaseModel, extra="forbid"):
    """What a cursor holds; `offset` is the number of rows before it."""

    etag: str
    rows: str
    offset: int = Field(ge=1, lt=1 << 62)


def cursor_after(offset: int, reading: Reading) -> str:
    """Returns the cursor of the page that begins after so many rows."""
    text = Cursor(etag=reading.etag, rows=reading.rows, offset=offset).model_dump_json()
    return urlsafe_b64encode(text.encode()).decode().rstrip("=")


def offset_of(cursor: str | None, reading: Reading) -> int:
    """Returns how many rows a cursor's page comes after; 0 without one.

    Raises `ParameterError` for text that is no cursor of these rows, `Gone` (410) where another
    snapshot was published since, or the reader may read something else by now.
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
