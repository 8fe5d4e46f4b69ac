"""Defines an identity: the name and groups that a provider or a proxy asserts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from werkzeug.exceptions import Unauthorized

from models.config.network.auth import Auth

LONGEST_NAME = 128
"""Most characters of a name, as of the person who closes a month."""


class Identity(NamedTuple):
    """A person's name and groups as a provider or proxy states them, before access is granted."""

    name: str
    groups: tuple[str, ...]


def from_claims(claims: Mapping[str, Any], auth: Auth) -> Identity:
    """Returns the name and groups in signed claims; `Unauthorized` without a usable name.

    A mail address that the provider has not verified names nobody: anyone may have entered it.
    """
    name = claims.get(auth.user_claim)
    if not isinstance(name, str):
        raise Unauthorized(f"the signed token has no claim {auth.user_claim!r}")
    if auth.user_claim == "email" and claims.get("email_verified") in (False, "false"):
        raise Unauthorized("the provider has not verified this mail address")
    groups = claims.get(auth.groups_claim)
    listed = groups if isinstance(groups, Iterable) and not isinstance(groups, str) else (groups,)
    return named(name, (each for each in listed if isinstance(each, str)))


def named(name: str, groups: Any) -> Identity:  # noqa: ANN401 - any iterable of text
    """Returns an `Identity`; `Unauthorized` if the given name is blank, unprintable or too long."""
    if not name.strip() or not name.isprintable() or len(name) > LONGEST_NAME:
        raise Unauthorized("a user's name is 1 to 128 printable characters")
    return Identity(name.strip(), tuple(groups))
