"""Finds every table that given tables are computed from."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping


def with_dependencies(names: Iterable[str], reads: Mapping[str, Collection[str]]) -> frozenset[str]:
    """Returns the names given and every name that these read, directly or through others."""
    found: set[str] = set()
    left = set(names)
    while left:
        found.add(name := left.pop())
        left |= {*reads.get(name, ())} - found
    return frozenset(found)
