"""Parses the JSON that a server sent, whatever is in it."""

from __future__ import annotations

import json
import re

SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
"""An escape that may be half a letter, which nothing can store."""


def parsed(sent: str | bytes) -> object:
    """Parses JSON, lone surrogates as `?`; returns None if it is invalid or nested too deeply."""
    text = sent.decode("utf-8-sig", "replace") if isinstance(sent, bytes) else sent
    try:
        held = json.loads(text, strict=False)
        if SURROGATE.search(text):
            held = json.loads(json.dumps(held, ensure_ascii=False).encode(errors="replace"))
    except (ValueError, RecursionError):  # also a number of more digits than Python reads
        return None
    return held
