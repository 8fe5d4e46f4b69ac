"""Finds all tables from which given tables are computed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping


def with_dependencies(names: Iterable[str], reads: Mapping[str, Collection[str]]) -> frozenset[str]:
    """Returns the given names and all names that they read, directly or indirectly."""
    found: set[str] = set()
    left = set(names)
    while left:
        found.add(name := left.pop())
        left |= {*reads.get(name, ())} - found
    return frozenset(found)
