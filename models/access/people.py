"""Finds what `[[access]]` grants to somebody who has signed in."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from models.access.person import NO_TAG, Grant, Person
from models.config.network.access import AccessEntry


def person(name: str, groups: Collection[str], access: Iterable[AccessEntry]) -> Person | None:
    """Returns a person with all grants of `[[access]]` to them or their groups; None without any.

    Without any grant they may not even read.
    """
    grants = tuple(
        Grant(entry.role, entry.workloads or (), entry.tag or NO_TAG)
        for entry in access
        if entry.user == name or entry.group in groups
    )
    return Person(name, grants) if grants else None
