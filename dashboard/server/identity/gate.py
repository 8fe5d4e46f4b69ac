"""Identifies the sender of each request first, and refuses requests without a valid identity.

Routes that need no identity are listed here; all others need one.
"""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import quote

from flask import Flask, redirect, request
from werkzeug.datastructures import WWWAuthenticate
from werkzeug.exceptions import Forbidden, HTTPException, Unauthorized
from werkzeug.wrappers import Response

from dashboard.server.identity.ended_sessions import EndedSessions
from dashboard.server.identity.identity import Identity
from dashboard.server.identity.provider_sign_in import Provider
from dashboard.server.identity.proxy import proxy_identity
from dashboard.server.identity.refused_requests import RefusedRequests
from dashboard.server.identity.return_address import requested_address
from dashboard.server.identity.routes import (
    NOT_GRANTED,
    ROUTES,
    SIGN_IN,
    SIGNED_IN,
    SigningIn,
    signed_in,
)
from dashboard.server.identity.sessions import EncryptedCookies, Sessions
from dashboard.server.identity.sign_in_pages import sign_in_page
from dashboard.server.identity.trusted_proxies import add_trusted_proxies
from models.access.acting import Actor, act_as, actor, administrator, operator
from models.access.people import person
from models.access.person import Person
from models.config.settings import Settings
from models.records.tokens import PREFIX, Tokens

PROBES = frozenset(("/livez", "/healthz", "readyz", "metrics"))
"""Endpoints for monitoring; metrics have a token of their own."""
SUITES = "/_dash-component-suites/<string:package_name>/<path:fingerprinted_path>"
FILES = frozenset(("_dash_assets.static", SUITES))
"""Endpoints of files of the program, the same for everybody."""
NO_IDENTITY = "the request does not say who sends it"
NOBODY = Person("nobody", ())
PROBE = administrator("probe")
"""The person in whose name probes check whether there is a snapshot."""


def add_identity(server: Flask, settings: Settings) -> None:
    """Makes a Flask server identify the sender of each request, and refuse unknown senders.

    Must be called before anything else that answers requests, except the check of hosts.
    """
    auth, refused = settings.auth, RefusedRequests(settings.data)
    gate = Gate(settings, refused)
    if auth.mode == "proxy":
        gate.identity = proxy_identity(auth)
    if auth.mode == "oidc":
        sessions = Sessions(EndedSessions(settings.data))
        provider = Provider(server, auth, settings.client_secret)
        SigningIn(settings, provider, sessions, refused).register(server)
        gate.identity = sessions.identity
    if auth.is_on:
        server.add_url_rule(SIGNED_IN, SIGNED_IN, signed_in)
        server.session_interface = EncryptedCookies()
    add_trusted_proxies(server, auth)
    server.before_request(gate.name_actor)
    server.teardown_request(forget_actor)


class Gate:
    """Finds who sends a request; refuses unknown senders (401) and those granted nothing (403).

    A sender is known by an API token or by signing in, and is the operator where `auth.mode` is
    `none`. With `oidc` a browser of an unknown sender is redirected to sign in.
    """

    def __init__(self, settings: Settings, refused: RefusedRequests) -> None:
        self._settings, self._refused = settings, refused
        self._tokens = Tokens(settings.data)
        self.identity: Callable[[], Identity | None] = lambda: None

    def name_actor(self) -> Response | None:
        """Sets who acts in a request, refuses it, or redirects it to sign in; called by Flask."""
        origin = request.remote_addr or "unknown"
        act_as(Actor(NOBODY, origin))
        if request.endpoint in PROBES:
            act_as(Actor(PROBE, origin))
        elif request.endpoint not in FILES | ROUTES:
            try:
                act_as(Actor(self._person(), origin))
            except HTTPException as error:
                return self._refuse(error)
        return None

    def _person(self) -> Person:
        """Returns the sender; `Unauthorized` if unknown, `Forbidden` if nothing is granted."""
        given = request.authorization
        if given and given.type == "bearer" and (given.token or "").startswith(PREFIX):
            return self._with_token(given.token or "")
        if not self._settings.auth.is_on:
            return operator()
        who = self.identity()
        if who is None:
            raise Unauthorized(NO_IDENTITY)
        known = person(who.name, who.groups, self._settings.access)
        if known is None:
            act_as(Actor(Person(who.name, ()), actor().origin))
            raise Forbidden(NOT_GRANTED)
        return known

    def _with_token(self, secret: str) -> Person:
        known = self._tokens.person(secret)
        if known is None:
            raise Unauthorized("there is no such token, or it has expired or was revoked")
        return known

    def _refuse(self, error: HTTPException) -> Response:
        """Redirects a browser to sign in or shows an error page; raises the error for programs."""
        signs_in = self._settings.auth.mode == "oidc"
        if signs_in and for_people() and error.description == NO_IDENTITY:
            return redirect(f"{SIGN_IN}?to={quote(requested_address(), safe='')}")
        self._refused.count("request", f"{error.description}")
        if for_people():
            return sign_in_page("No access", f"{error.description}.", status=error.code or 401)
        if isinstance(error, Unauthorized):
            error.www_authenticate = (WWWAuthenticate("bearer"),)
        raise error


def for_people() -> bool:
    """Returns whether the request is a browser's GET for an HTML page."""
    return request.method == "GET" and "text/html" in request.headers.get("Accept", "")


def forget_actor(_: BaseException | None) -> None:
    """Clears who acted when a request ends; called by Flask."""
    act_as(None)
