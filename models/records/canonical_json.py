"""Computes the SHA-256 of a statement from its canonical form (METHOD §7.3).

The canonical form is JSON with keys in order, no spaces, UTF-8, numbers as exact decimal text and
dates as ISO, so that the same figures always have the same hash.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from hashlib import sha256
from typing import Any

from models.contract.decimal_text import decimal_text


def canonical_sha256(document: Mapping[str, Any]) -> str:
    """Returns the SHA-256 of a document in canonical JSON: keys in order, no spaces, UTF-8."""
    canonical = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return sha256(canonical.encode()).hexdigest()


def text(value: object) -> object:
    """Converts a value for canonical JSON: decimals to exact text, dates to ISO, keys in order."""
    if isinstance(value, Decimal):
        return decimal_text(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {key: text(value[key]) for key in sorted(value)}
    return value
