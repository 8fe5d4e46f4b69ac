"""Who acts in this thread or task: a person and from where; on the command line its user."""

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
    """A person who acts, and from where: an address, or `command line`."""

    person: Person
    origin: str

    @property
    def who(self) -> str:
        """The name of the person."""
        return self.person.name

    @property
    def role(self) -> str:
        """The highest role of the person; `none` of somebody to whom nothing is granted."""
        return self.person.role if self.person.grants else "none"


_ACTING: ContextVar[Actor | None] = ContextVar("acting", default=None)


def actor() -> Actor:
    """Returns who acts in this context: who was named, else this user on the command line."""
    return _ACTING.get() or Actor(operator(), COMMAND_LINE)


def current_person() -> Person:
    """Returns the person who acts in this context, with their grants."""
    return actor().person


def operator() -> Person:
    """Returns who runs the program: whoever may write the warehouse is an admin."""
    return administrator(system_user())


def administrator(name: str) -> Person:
    """Returns a person of this name who may do everything."""
    return Person(name, (Grant("admin"),))


def system_user() -> str:
    """Returns the name of the operating system's user, or its number where it has no name."""
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:  # a container may run as any number
        return f"user {os.geteuid()}"


def act_as(who: Actor | None) -> None:
    """Names who acts in this thread from here on, as servers do for a request; None forgets it."""
    _ACTING.set(who)


@contextmanager
def acting(who: Actor) -> Iterator[None]:
    """Names who acts within the block; it holds for this thread or task alone."""
    token = _ACTING.set(who)
    try:
        yield
    finally:
        _ACTING.reset(token)


def require(role: Role) -> None:
    """Raises `AccessError` unless who acts may do what a role may."""
    person = current_person()
    if not person.may(role):
        raise AccessError(
            f"this needs the role {role}",
            value=f"{person.name} is {person.role}",
            remedy="an entry of [[access]] grants it",
        )
