"""Refuses requests that another site's page sends: foreign hosts, foreign origins, no CSRF token.

A page elsewhere can make a reader's browser send anything here, and by DNS rebinding also read the
answer, even where the server listens on loopback only.
"""

from __future__ import annotations

from hashlib import sha256
from urllib.parse import urlsplit

from flask import Flask, Response, request
from flask_wtf.csrf import CSRFProtect, generate_csrf
from werkzeug.exceptions import Forbidden, RequestEntityTooLarge

LOOPBACK = ("localhost", "127.0.0.1")
SAFE = frozenset(("GET", "HEAD", "OPTIONS"))
MAX_BODY = 1 << 20


def token_cookie(secret_key: str) -> str:
    """Returns the name of the cookie that holds the CSRF token, another for each key.

    A browser sends cookies to every port of a host: two dashboards on one machine would overwrite
    each other's.
    """
    return f"breakeven_csrf_{sha256(secret_key.encode()).hexdigest()[:8]}"


def add_request_guard(server: Flask, hosts: tuple[str, ...], secret_key: str) -> None:
    """Lets only requests to these hosts and from this site's own pages through.

    Must precede all that answers requests.
    """
    name = token_cookie(secret_key)
    server.config.update(
        TRUSTED_HOSTS=[*LOOPBACK, *hosts],
        MAX_CONTENT_LENGTH=MAX_BODY,
        SECRET_KEY=secret_key,
        SESSION_COOKIE_NAME=name.replace("csrf", "session"),
        SESSION_COOKIE_SAMESITE="Lax",
        WTF_CSRF_TIME_LIMIT=None,
        WTF_CSRF_SSL_STRICT=False,
    )
    server.before_request(refuse_foreign)
    CSRFProtect(server)

    @server.after_request
    def hand_out_token(response: Response) -> Response:
        if response.mimetype == "text/html":
            response.set_cookie(name, generate_csrf(), samesite="Lax")
        return response


def refuse_foreign() -> None:
    """Refuses hosts that are not configured (400), large bodies (413) and foreign origins (403).

    Flask finds a foreign host before it calls this, and would raise it only after a cache has
    answered.
    """
    if (request.content_length or 0) > MAX_BODY or _is_long():
        raise RequestEntityTooLarge
    if request.routing_exception is not None:
        raise request.routing_exception
    if request.method not in SAFE and not _from_here():
        raise Forbidden("a page of another site sent this request, or no page at all")


def _is_long() -> bool:
    """Whether a body of unsaid length is too large; Flask reads no more of it than is allowed."""
    return request.content_length is None and len(request.get_data()) >= MAX_BODY


def _from_here() -> bool:
    """Whether the browser says that a page of this very site sends the request."""
    site = request.headers.get("Sec-Fetch-Site")
    if site is not None:
        return site == "same-origin"
    origin = urlsplit(request.headers.get("Origin", ""))
    return origin.scheme in ("http", "https") and origin.netloc == request.host
