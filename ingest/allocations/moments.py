"""Reads the times that schedulers write: epoch seconds, or ISO 8601 with a zone."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from models.formats.bill.plausible_dates import DAYS_AHEAD, FIRST_YEAR

EPOCH = re.compile(r"\d{9,11}(\.\d+)?")
"""Seconds since 1970, from 1973 to 5138; more digits are milliseconds, which nobody here writes."""


class UnreadableMomentError(ValueError):
    """Raised for a text that is no time, or an impossible one; its message says why."""


def moment(text: str, *, anywhen: bool = False) -> datetime:
    """Reads epoch seconds, or ISO 8601 with a zone, as UTC. Raises `UnreadableMomentError`.

    Examples: `1795725345`, `2026-10-31T10:00:00Z`, `2026-10-31 12:00:00+02:00`. Years before AWS
    and far ahead are refused: an interval is kept on each of its days, and one to the year 9999
    has three million. `anywhen` takes them, as an end that never comes.
    """
    given = instant(text) if EPOCH.fullmatch(text) else _read(text)
    if given.tzinfo is None:
        raise UnreadableMomentError("has no time zone")
    if not (anywhen or is_possible(given)):
        raise UnreadableMomentError(f"is before {FIRST_YEAR} or more than {DAYS_AHEAD} days ahead")
    return given


def instant(seconds: str | float) -> datetime:
    """Returns the UTC time of epoch seconds; raises `UnreadableMomentError` where there is none."""
    try:
        return datetime.fromtimestamp(float(seconds), UTC)
    except (ValueError, OverflowError, OSError):
        raise UnreadableMomentError("is not a time") from None


def _read(text: str) -> datetime:
    try:
        given = datetime.fromisoformat(text)
        return given.astimezone(UTC) if given.tzinfo else given
    except (ValueError, OverflowError):
        raise UnreadableMomentError("is not a time") from None


def is_possible(at: datetime) -> bool:
    """Whether a time is plausible: not before the year of AWS's first bill, not far ahead."""
    return at.year >= FIRST_YEAR and at <= datetime.now(UTC) + timedelta(days=DAYS_AHEAD)
