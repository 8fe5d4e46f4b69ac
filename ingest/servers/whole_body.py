"""Reads the whole body of a server's answer, unless it is too large or does not end."""

from __future__ import annotations

from time import monotonic

import requests

PIECE = 2**16
MOST_BYTES = 256 * 2**20
MOST_SECONDS = 600


class EndlessError(Exception):
    """Raised when an answer exceeds the limit of size or of time; says which."""


def whole_body(answer: requests.Response) -> bytes:
    """Returns the body of an answer that was asked for as a stream. Raises `EndlessError`."""
    until, body = monotonic() + MOST_SECONDS, bytearray()
    # returns what is there: other ways of reading wait for a whole piece
    while piece := answer.raw.read1(PIECE, decode_content=True):
        body += piece
        if len(body) > MOST_BYTES:
            raise EndlessError(f"an answer of more than {MOST_BYTES:,} bytes")
        if monotonic() > until:
            raise EndlessError(f"an answer that takes longer than {MOST_SECONDS} seconds")
    return bytes(body)
