"""Reads the times that schedulers write: epoch seconds, or ISO 8601 with a zone."""

from __future__ import annotations

import re
from datetime import UTC, datetime

EPOCH = re.compile(r"\d{9,11}(\.\d+)?")
"""Seconds since 1970, from 1973 to 5138; more digits are milliseconds, which nobody here writes."""


class UnreadableMomentError(ValueError):
    """The error of a text that is no time or has no time zone; its message says which."""


def moment(text: str) -> datetime:
    """Reads epoch seconds, or ISO 8601 with a zone, as UTC. Raises `UnreadableMomentError`.

    Examples: `1795725345`, `2026-10-31T10:00:00Z`, `2026-10-31 12:00:00+02:00`.
    """
    if EPOCH.fullmatch(text):
        return datetime.fromtimestamp(float(text), UTC)
    try:
        given = datetime.fromisoformat(text)
    except ValueError:
        raise UnreadableMomentError("is no time") from None
    if given.tzinfo is None:
        raise UnreadableMomentError("has no time zone")
    return given.astimezone(UTC)
