"""Parses a job's labels from its comment; drops those that name a person, unless configured.

A comment may hold them as a JSON object, or as `key=value` pairs. Names of people are dropped
unless `allocations.keep_user` is set.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

PEOPLE = re.compile(r"(^|[/._-])(user|user_?name|owner|e?mail|submitter|author)$", re.IGNORECASE)
"""Keys whose values name a person, whatever domain stands before them."""
PAIR = re.compile(r"([\w./:-]+)=(\"[^\"]*\"|[^\s,;]*)")


def from_comment(comment: str) -> dict[str, str]:
    """Parses labels from a job's comment (JSON or `key=value`); other text is label `comment`.

    Examples: `workload=atlas-7b run=t1`, `{"workload": "atlas-7b"}`.
    """
    text = comment.strip()
    if text.startswith("{"):
        try:
            document = json.loads(text)
        except (ValueError, RecursionError):
            return {"comment": text}
        return {str(key): str(value) for key, value in document.items() if value is not None}
    pairs = {key: value.strip('"') for key, value in PAIR.findall(text)}
    return pairs or ({"comment": text} if text else {})


def without_people(labels: Mapping[str, str], *, keep_user: bool) -> dict[str, str]:
    """Drops labels without a value and, unless `keep_user`, those whose key means a person."""
    return {
        key: value
        for key, value in labels.items()
        if value and (keep_user or not PEOPLE.search(key))
    }
