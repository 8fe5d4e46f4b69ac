"""Parses a run from W&B's list of runs: start, config, tags, and how many values of what.

W&B's tags are words: `workload=atlas-7b` or `workload:atlas-7b` is one with a key.
"""

from __future__ import annotations

import json
import re
from dataclasses import astuple, dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any

from pydantic import ValidationError

from ingest.sources.progress.wandb.listed_node import Node
from ingest.trackers.max_steps import max_steps_of

LONGEST = 1024
"""Characters of a config's text; longer ones are documents, and in every row."""
BEYOND = 2**53
"""A step that no run reaches."""
KEYED = re.compile(r"\s*([^=:\s]+)\s*[=:]\s*(\S.*?)\s*")


@dataclass(frozen=True)
class ListedRun:
    """A run as W&B lists it; its fields show whether it changed since an earlier pull."""

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
        """The `max_steps` of Hugging Face's trainer in the run's config; 0 if there is none."""
        return max_steps_of(self.tags.encode())

    def fingerprint(self, *read: object) -> str:
        """Returns a hash of a listed run's fields and of how its metrics are read."""
        return sha256(repr((astuple(self), read)).encode()).hexdigest()


def listed_runs(nodes: list[dict[str, Any]], odd: list[str]) -> list[ListedRun]:
    """Converts W&B's list of runs; adds to `odd` a text on each run that cannot be read."""
    runs = []
    for node in nodes:
        try:
            runs.append(_listed_run(Node.model_validate(node)))
        except ValidationError as error:
            wrong = error.errors(include_url=False)[0]
            where = ".".join(map(str, wrong["loc"]))
            odd.append(f"{node.get('name')!s:.80} ({where}: {wrong['msg']})")
    return runs


def _listed_run(node: Node) -> ListedRun:
    last = node.historyKeys.lastStep
    return ListedRun(
        id=node.name,
        name=node.displayName or node.name,
        state=node.state,
        began=node.createdAt,
        heard=node.heartbeatAt,
        tags=json.dumps(_config(node.config) | _keyed(node.tags or []), sort_keys=True),
        counts={key: one.count for key, one in sorted(node.historyKeys.keys.items())},
        last_step=int(last) if last is not None and 0 <= last <= BEYOND else None,
    )


def _config(config: dict[str, Any]) -> dict[str, str]:
    """Maps the keys of a run's config to its texts and numbers, as text; long ones are dropped."""
    given = {key: _given(held) for key, held in config.items()}
    texts = {
        key: f"{value}" for key, value in given.items() if isinstance(value, str | int | float)
    }
    return {key: text for key, text in texts.items() if len(text) <= LONGEST}


def _given(held: object) -> object:
    return held["value"] if isinstance(held, dict) and "value" in held else held


def _keyed(words: list[str]) -> dict[str, str]:
    """Maps keys to values, for those of a run's tags that have the form of key and value."""
    found = (KEYED.fullmatch(word) for word in words)
    return {one[1]: one[2] for one in found if one}
