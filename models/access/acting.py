"""The person who acts in this thread or task, and from where; else the command line's user."""

from __future__ import annotations

import os
import pwd
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from models.access.person import Grant, Person, Role
from models.contract.errors import AccessError

COMMAND_LINE = "command line"


@dataclass(frozen=True)
class Actor:
    """A person who acts, and from where: a network address, or `command line`."""

    person: Person
    origin: str

    @property
    def who(self) -> str:
        """The name of the person who acts."""
        return self.person.name

    @property
    def role(self) -> str:
        """The highest role of the person who acts; `none` if nothing is granted to them."""
        return self.person.role if self.person.grants else "none"


_ACTING: ContextVar[Actor | None] = ContextVar("acting", default=None)


def actor() -> Actor:
    """Returns who acts in this thread or task, as was set; else the operating system's user."""
    return _ACTING.get() or Actor(operator(), COMMAND_LINE)


def current_person() -> Person:
    """Returns the person who acts in this thread or task, with their granted roles."""
    return actor().person


def operator() -> Person:
    """Returns who runs this process, as an admin: they can write the warehouse anyway."""
    return administrator(system_user())


def administrator(name: str) -> Person:
    """Returns a person of this name who may do everything."""
    return Person(name, (Grant("admin"),))


def system_user() -> str:
    """Returns the name of who runs this process, or `user 1000` if that user id has no name."""
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:  # a container may run as any number
        return f"user {os.geteuid()}"


def act_as(who: Actor | None) -> None:
    """Sets who acts in this thread or task from here on, as for a request; None unsets it."""
    _ACTING.set(who)


@contextmanager
def acting(who: Actor) -> Iterator[None]:
    """Sets who acts within a `with` block, for this thread or task only."""
    token = _ACTING.set(who)
    try:
        yield
    finally:
        _ACTING.reset(token)


def require(role: Role) -> None:
    """Raises `AccessError` unless the person who acts has the rights of a role."""
    person = current_person()
    if not person.may(role):
        raise AccessError(
            f"this needs the role {role}",
            value=f"{person.name} is {person.role}",
            remedy="an entry of [[access]] grants it",
        )
