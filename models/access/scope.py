"""The scope of a reader: everything, or the workloads that some grants name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

Tags = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Scope:
    """Which workloads a reader sees: all, or those with a matching name or all tags of a set.

    Equal scopes see the same of every snapshot, so that caches hold them in their keys. Without
    anything a scope is empty. `everything` includes what is the company's.
    """

    everything: bool = False
    patterns: tuple[str, ...] = ()
    tags: tuple[Tags, ...] = ()

    def names(self, workloads: Iterable[str]) -> set[str]:
        """Returns which of the given workloads match a name pattern that the reader was granted.

        Only `patterns` are asked: without any, none matches, even where `everything` is set.
        """
        return {name for name in workloads if any(_matches(name, each) for each in self.patterns)}


EVERYTHING = Scope(everything=True)


def _matches(name: str, pattern: str) -> bool:
    parts = (re.escape(part) for part in pattern.split("*"))
    return re.fullmatch(".*".join(parts), name, re.DOTALL) is not None
