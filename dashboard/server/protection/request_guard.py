"""Refuses requests that another site's page sends: foreign hosts, foreign origins, no CSRF token.

A page elsewhere can make a reader's browser send anything here, and by DNS rebinding also read the
answer, even where the server listens on loopback only.
"""

from __future__ import annotations

import logging
import re
from hashlib import sha256

from flask import Flask, Request, Response, request
from flask_wtf.csrf import CSRFProtect, generate_csrf
from werkzeug.exceptions import Forbidden, RequestEntityTooLarge, SecurityError
from werkzeug.sansio.utils import host_is_trusted

from dashboard.api.address import is_api

LOOPBACK = ("localhost", "127.0.0.1")
LOOPBACK_6 = re.compile(r"\[::1](:\d{1,5})?", re.ASCII)
"""Loopback by IPv6. No name can be written so: DNS rebinding does not reach it."""
SAFE = frozenset(("GET", "HEAD", "OPTIONS"))
MAX_BODY = 1 << 20
SHOWN = 80
"""Most characters of a host that an answer repeats."""


class GuardedRequest(Request):
    """A request that accepts the configured hosts, and also the IPv6 loopback address.

    Werkzeug takes a colon in a configured host for the beginning of its port.
    """

    _hosts: list[str] | None = None

    @property
    def trusted_hosts(self) -> list[str] | None:
        """Returns the hosts that a request may name; None (any) if it names a trusted `[::1]`."""
        host = self.headers.get("Host", "")
        return None if LOOPBACK_6.fullmatch(host) and host_is_trusted(host) else self._hosts

    @trusted_hosts.setter
    def trusted_hosts(self, hosts: list[str] | None) -> None:
        self._hosts = hosts


def token_cookie(secret_key: str) -> str:
    """Returns the name of the cookie with the CSRF token, which differs for each secret key.

    A browser sends cookies to every port of a host: two dashboards on one machine would overwrite
    each other's.
    """
    return f"breakeven_csrf_{sha256(secret_key.encode()).hexdigest()[:8]}"


def add_host_guard(server: Flask, hosts: tuple[str, ...], secret_key: str) -> None:
    """Makes a server refuse hosts neither configured nor loopback; sets its cookies and body limit.

    Must be called before anything that answers requests.
    """
    server.config.update(
        TRUSTED_HOSTS=[*LOOPBACK, *hosts],
        MAX_CONTENT_LENGTH=MAX_BODY,
        SECRET_KEY=secret_key,
        SESSION_COOKIE_NAME=token_cookie(secret_key).replace("csrf", "session"),
        SESSION_COOKIE_SAMESITE="Lax",
        WTF_CSRF_TIME_LIMIT=None,
        WTF_CSRF_SSL_STRICT=False,
    )
    server.request_class = GuardedRequest
    server.before_request(refuse_foreign_host)


def add_request_guard(server: Flask, secret_key: str) -> None:
    """Makes a server refuse large bodies, and changing requests that none of its pages sent."""
    name = token_cookie(secret_key)
    # what it refuses is logged as every refusal is: else it would be two lines
    logging.getLogger("flask_wtf.csrf").setLevel(logging.WARNING)
    server.before_request(refuse_foreign)
    CSRFProtect(server)

    @server.after_request
    def hand_out_token(response: Response) -> Response:
        if response.mimetype == "text/html" and not is_api(request.path):
            secure = server.session_interface.get_cookie_secure(server)
            response.set_cookie(name, generate_csrf(), samesite="Lax", secure=secure)
        return response


def refuse_foreign_host() -> None:
    """Refuses a request to a host that is neither configured nor loopback (400).

    Flask finds a foreign host before it calls this, and would raise it only after a cache has
    answered.
    """
    if isinstance(request.routing_exception, SecurityError):
        host = request.headers.get("Host", "")[:SHOWN]
        raise SecurityError(f"this host is not answered: {host!a} (name it in serve.hosts)")


def refuse_foreign() -> None:
    """Refuses large bodies (413), unknown URLs (404), and changes that no page here sent (403)."""
    if (request.content_length or 0) > MAX_BODY:
        raise RequestEntityTooLarge
    if request.routing_exception is not None:
        raise request.routing_exception
    if request.method not in SAFE and not _from_here():
        raise Forbidden("a page of another site sent this request, or no page at all")


def _from_here() -> bool:
    """Returns whether the browser states that a page of this site sent the request."""
    site = request.headers.get("Sec-Fetch-Site")
    if site is not None:
        return site == "same-origin"
    own = f"http://{request.host}", f"https://{request.host}"
    return request.headers.get("Origin", "") in own
