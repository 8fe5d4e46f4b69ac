"""What a person is: a name, and grants of roles, each on everything or on some workloads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from models.access.scope import EVERYTHING, Scope
from models.config.network.access import ROLES as ROLES
from models.config.network.access import Role as Role

NO_TAG: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True)
class Grant:
    """A role on workloads that match one of the patterns or have all tags; without either, on all.

    In a pattern `*` stands for any text.
    """

    role: Role
    workloads: tuple[str, ...] = ()
    tag: Mapping[str, str] = field(default_factory=lambda: NO_TAG)

    @property
    def is_scoped(self) -> bool:
        """Whether the grant is limited to some workloads."""
        return bool(self.workloads or self.tag)


@dataclass(frozen=True)
class Person:
    """A person, or a program with a token, and the roles granted to them; grants add up."""

    name: str
    grants: tuple[Grant, ...]

    @property
    def scope(self) -> Scope:
        """Returns what this person may read: all workloads, or those that their grants name."""
        if any(not grant.is_scoped for grant in self.grants):
            return EVERYTHING
        patterns = {each for grant in self.grants for each in grant.workloads}
        tags = {tuple(sorted(grant.tag.items())) for grant in self.grants if grant.tag}
        return Scope(patterns=tuple(sorted(patterns)), tags=tuple(sorted(tags)))

    @property
    def role(self) -> Role:
        """Returns the highest role whose rights this person has; `viewer` even without any."""
        return next((role for role in reversed(ROLES) if self.may(role)), ROLES[0])

    def may(self, role: Role) -> bool:
        """Whether this person has a role's rights; finance and admin need a grant on everything.

        A viewer reads, which any grant allows within its scope. What finance and admin do (close,
        send, export, tokens) is the company's and needs an unscoped grant of that role or more.
        """
        needed = ROLES.index(role)
        return any(
            ROLES.index(grant.role) >= needed and not (needed and grant.is_scoped)
            for grant in self.grants
        )
