"""Defines `[[access]]`: which group or user has which role, and which workloads they read."""

from __future__ import annotations

from typing import Annotated, Literal, Self, get_args

from pydantic import Field, model_validator

from models.config.section import Section

Role = Literal["viewer", "finance", "admin"]
ROLES: tuple[Role, ...] = get_args(Role)
"""Each role may do what the ones before it may, and more."""
Text = Annotated[str, Field(min_length=1)]


class AccessEntry(Section):
    """One `[[access]]` table: a role for a group or a user, on some workloads or on all.

    `workloads` holds patterns of names with `*`. `tag` maps keys of `tags.extra` to values: the
    workloads all of whose accelerator-hours have them. Only viewers have a scope, because what the
    other roles do is the company's.
    """

    group: Text | None = None
    user: Text | None = None
    role: Role
    workloads: tuple[Text, ...] | None = Field(None, min_length=1)
    tag: dict[Text, Text] | None = Field(None, min_length=1)

    @model_validator(mode="after")
    def _one_of_each(self) -> Self:
        if (self.group is None) == (self.user is None):
            raise ValueError("an entry names a group or a user: one of them")
        if self.workloads and self.tag:
            raise ValueError("workloads or tag, not both: two entries add up")
        if (self.workloads or self.tag) and self.role != "viewer":
            raise ValueError(f"role {self.role!r} has no scope: what it does is the company's")
        return self


def refuse_unknown_tags(entries: tuple[AccessEntry, ...], known: tuple[str, ...]) -> None:
    """Raises `ValueError` if an entry's `tag` has a key that `tags.extra` does not list."""
    for key in (key for entry in entries for key in entry.tag or ()):
        if key not in known:
            raise ValueError(f"tag {key!r} is none of tags.extra: {', '.join(known) or 'empty'}")
