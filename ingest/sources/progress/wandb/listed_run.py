"""Reads a run as W&B lists it: when it began, its config and tags, and how much it logged of what.

W&B's tags are words: `workload=atlas-7b` or `workload:atlas-7b` is one with a key.
"""

from __future__ import annotations

import json
import re
from dataclasses import astuple, dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from ingest.trackers.max_steps import max_steps_of

LONGEST = 1024
"""Characters of a config's text; longer ones are documents, and in every row."""
KEYED = re.compile(r"\s*([^=:\s]+)\s*[=:]\s*(\S.*?)\s*")


@dataclass(frozen=True)
class ListedRun:
    """A run as W&B lists it, which shows whether it changed since it was listed before."""

    id: str
    name: str
    state: str | None
    began: datetime
    heard: str | None
    """When it last reported."""
    tags: str
    """Its config and its tags with a key, as one JSON object; tags win."""
    counts: dict[str, int]
    """How many values it logged of each metric."""
    last_step: int | None

    @property
    def max_steps(self) -> int:
        """How many steps Hugging Face's trainer was told to do; 0 where its epochs are epochs."""
        return max_steps_of(self.tags.encode())

    def fingerprint(self, *read: object) -> str:
        """Returns a hash of what is listed of the run, and of what is `read` of it."""
        return sha256(repr((astuple(self), read)).encode()).hexdigest()


def listed_run(node: dict[str, Any]) -> ListedRun:
    """Reads a run of W&B's list of runs."""
    began = datetime.fromisoformat(node["createdAt"])
    logged = _object(node.get("historyKeys"))
    last = logged.get("lastStep")
    return ListedRun(
        id=node["name"],
        name=node.get("displayName") or node["name"],
        state=node.get("state"),
        began=began.astimezone(UTC) if began.tzinfo else began.replace(tzinfo=UTC),
        heard=node.get("heartbeatAt"),
        tags=json.dumps(_config(node) | _keyed(node.get("tags") or []), sort_keys=True),
        counts={key: _count(one) for key, one in sorted(_object(logged.get("keys")).items())},
        last_step=int(last) if isinstance(last, int | float) else None,
    )


def _count(logged: dict[str, Any]) -> int:
    return sum(int(one.get("count") or 0) for one in logged.get("typeCounts") or [])


def _config(node: dict[str, Any]) -> dict[str, str]:
    """Returns a run's config by key: its texts and numbers, as text."""
    given = {key: _given(held) for key, held in _object(node.get("config")).items()}
    texts = {
        key: f"{value}" for key, value in given.items() if isinstance(value, str | int | float)
    }
    return {key: text for key, text in texts.items() if len(text) <= LONGEST}


def _given(held: object) -> object:
    return held["value"] if isinstance(held, dict) and "value" in held else held


def _keyed(words: list[str]) -> dict[str, str]:
    """Returns those of a run's tags that have a key."""
    found = (KEYED.fullmatch(word) for word in words)
    return {one[1]: one[2] for one in found if one}


def _object(held: object) -> dict[str, Any]:
    """Returns a JSON object, which W&B tells as such or as text; empty if it is none."""
    if isinstance(held, str):
        try:
            held = json.loads(held, strict=False)
        except ValueError:
            return {}
    return held if isinstance(held, dict) else {}
