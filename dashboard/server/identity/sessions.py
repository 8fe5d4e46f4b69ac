"""Keeps a person who signed in at a provider signed in for eight hours, by a signed cookie."""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from flask import Flask, request, session
from flask.sessions import SecureCookieSessionInterface

from dashboard.server.identity.ended_sessions import EndedSessions
from dashboard.server.identity.identity import Identity
from models.config.network.loopback import is_loopback

HOURS = 8
ID, NAME, GROUPS, UNTIL = "id", "name", "groups", "until"


class Sessions:
    """Begins, reads and ends the session of the current request."""

    def __init__(self, ended: EndedSessions) -> None:
        self._ended = ended

    def begin(self, who: Identity) -> None:
        """Begins a person's session of eight hours, and ends the one that the cookie had."""
        self.end()
        session.clear()
        session.update(
            {
                ID: secrets.token_urlsafe(16),
                NAME: who.name,
                GROUPS: list(who.groups),
                UNTIL: time.time() + HOURS * 3600,
            }
        )

    def identity(self) -> Identity | None:
        """Returns who is signed in; None if nobody is, or the session is over."""
        known: Mapping[str, Any] = session
        if ID not in known or known[UNTIL] < time.time() or known[ID] in self._ended:
            return None
        return Identity(known[NAME], tuple(known[GROUPS]))

    def end(self) -> None:
        """Ends the session for every copy of its cookie; `StorageError` if that fails."""
        if ID in session and session[UNTIL] > time.time():
            self._ended.add(session[ID], session[UNTIL])
        session.clear()


class EncryptedCookies(SecureCookieSessionInterface):
    """Session cookies that browsers send over TLS only, except to a dashboard on localhost."""

    def get_cookie_name(self, app: Flask) -> str:
        """Returns the session cookie's name, with `__Host-` if it is for TLS only; for Flask.

        A browser takes `__Host-` from this host alone: no neighbour, as `blog.example.com`, can set
        the session of somebody else for a reader.
        """
        name = super().get_cookie_name(app)
        return f"__Host-{name}" if self.get_cookie_secure(app) else name

    def get_cookie_secure(self, app: Flask) -> bool:
        """Returns whether the cookie is for TLS only; called by Flask."""
        return is_outside()


def is_outside() -> bool:
    """Returns whether the request's host is no loopback address and not `localhost`.

    Flask asks before the check of hosts, so it may be no host at all.
    """
    with suppress(ValueError):
        host = urlsplit(f"//{request.environ.get('HTTP_HOST', '')}").hostname
        return not is_loopback(host or "")
    return True
