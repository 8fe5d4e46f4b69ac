"""Signs people in at an OIDC provider, by authorization code with PKCE."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import requests
from authlib.integrations.base_client.errors import OAuthError
from authlib.integrations.flask_client import OAuth
from flask import Flask, redirect, request, session, url_for
from joserfc.errors import JoseError
from werkzeug.exceptions import ServiceUnavailable, Unauthorized

from dashboard.server.identity.identity import Identity, from_claims
from dashboard.server.identity.issuer_keys import DISCOVERY, FAULT_PAUSE_SECONDS, one_line
from dashboard.server.identity.return_address import HOME, own_address
from dashboard.server.identity.sessions import is_outside
from models.config.network.auth import Auth

BACK = "/sign-in/back"
BEGUN = "_state_provider_"
"""Prefix of Authlib's keys in the session for sign-ins that have begun."""
MOST_BEGUN = 3
"""Most unfinished sign-ins of a browser: each takes some hundred of a cookie's 4,096 bytes."""
TIMEOUT_SECONDS = 10
PENDING = "the provider is being asked where to sign in; this page tries again by itself"
SLOW = "the provider is slow to answer; this page tries again by itself"
RETRY_SECONDS = 2
MOST_ASKING = 2
"""Most requests of a worker that wait for who signed in: of its threads, half stay for readers."""
FAULTS = (OAuthError, JoseError, ValueError, KeyError, TypeError)
"""Errors that a wrong answer of a provider may cause."""
NEEDED = ("authorization_endpoint", "token_endpoint", "jwks_uri")
"""What the metadata of a provider must name, as text."""


class Provider:
    """Sends browsers to an OIDC provider to sign in, and reads who came back."""

    def __init__(self, server: Flask, auth: Auth, secret: str) -> None:
        self._auth = auth
        self._known, self._free_at, self._fault = False, 0.0, ""
        self._asking = threading.BoundedSemaphore(MOST_ASKING)
        self._client = OAuth(server).register(
            "provider",
            client_id=auth.client_id,
            client_secret=secret or None,
            server_metadata_url=(auth.issuer or "").rstrip("/") + DISCOVERY,
            client_kwargs={
                "scope": " ".join(auth.scopes),
                "code_challenge_method": "S256",
                "default_timeout": TIMEOUT_SECONDS,
                **({} if secret else {"token_endpoint_auth_method": "none"}),
            },
        )

    def leave(self) -> Any:  # noqa: ANN401 - a response of either framework
        """Redirects a browser to the provider; `to` in the URL is the page to show afterwards.

        With `again` the provider asks for credentials even if it knows the person. Raises
        `ServiceUnavailable` if the provider does not answer.
        """
        forget_oldest_begun()
        back = url_for(BACK, _external=True, _scheme="https" if is_outside() else "http")
        extra = {"prompt": "login"} if "again" in request.args else {}
        self._look_up()
        to = self._client.create_authorization_url(back, **extra)
        page = own_address(request.args.get("to", ""))
        self._client.save_authorize_data(redirect_uri=back, page=page, **to)
        return redirect(to["url"])

    def _look_up(self) -> None:
        """Fetches the provider's metadata once; after a failure, only retries after a while.

        Each try may block a thread of the server, and anybody can cause one. So whoever comes
        meanwhile does not wait here: their browser asks again.
        """
        if self._known:
            return
        if time.monotonic() >= self._free_at:
            self._free_at, self._fault = time.monotonic() + TIMEOUT_SECONDS, ""
            try:
                self._load_metadata()
                self._known = True
                return
            except (requests.RequestException, *FAULTS) as error:
                self._free_at = time.monotonic() + FAULT_PAUSE_SECONDS
                self._fault = reason(error)
        if not self._fault:
            raise ServiceUnavailable(PENDING, retry_after=RETRY_SECONDS)
        raise ServiceUnavailable(f"the provider does not answer: {self._fault}")

    def _load_metadata(self) -> None:
        """Fetches the provider's metadata; `ValueError` where it is another's or incomplete.

        Authlib would keep such an answer until the server stops, and fail at every sign-in.
        """
        found, issuer = self._client.load_server_metadata(), self._auth.issuer
        missing = [name for name in NEEDED if not isinstance(found.get(name), str)]
        named = found.get("issuer")
        if missing or named != issuer:
            found.clear()
            other = f"it calls itself {named}, auth.issuer is {issuer}"
            raise ValueError(f"its metadata has no {', '.join(missing)}" if missing else other)

    def requested_page(self) -> str:
        """Returns the address of the page that a browser wanted before it had to sign in."""
        return str(self._begun().get("page", HOME))

    def identity(self) -> Identity:
        """Returns name and groups of the person that the provider has sent back.

        Raises `Unauthorized` if it refused or its answer is not for this browser, and
        `ServiceUnavailable` if it does not answer. After a wrong answer the next one is checked
        against keys that are fetched anew: the provider may have changed them under one id.
        """
        if not self._begun():
            raise Unauthorized("this sign-in began in another browser, or over an hour ago")
        try:
            with self._one_of_few():
                return from_claims(self._claims(), self._auth)
        except requests.RequestException as error:
            raise ServiceUnavailable(f"the provider does not answer: {one_line(error)}") from None
        except FAULTS as error:
            self._client.server_metadata.pop("jwks", None)
            raise Unauthorized(reason(error)) from None

    @contextmanager
    def _one_of_few(self) -> Iterator[None]:
        """Limits how many requests ask the provider at once; raises `ServiceUnavailable` beyond."""
        if not self._asking.acquire(blocking=False):
            raise ServiceUnavailable(SLOW, retry_after=RETRY_SECONDS)
        try:
            yield
        finally:
            self._asking.release()

    def _begun(self) -> dict[str, Any]:
        state = request.args.get("state", "")
        return self._client.framework.get_state_data(session, state) or {}

    def _claims(self) -> dict[str, Any]:
        auth = self._auth
        expected = {"iss": auth.issuer, "aud": auth.client_id}
        options = {name: {"essential": True, "value": value} for name, value in expected.items()}
        token = self._client.authorize_access_token(claims_options=options)
        if "userinfo" not in token:
            raise ValueError("the provider sent no ID token")
        claims = dict(token["userinfo"])
        complete = {auth.user_claim, auth.groups_claim} <= claims.keys()
        if complete or "userinfo_endpoint" not in self._client.load_server_metadata():
            return claims
        more = self._client.userinfo(token=token)
        if more.get("sub") != claims["sub"]:
            raise ValueError("the provider describes somebody else")
        return {**more, **claims}


def reason(error: Exception) -> str:
    """Returns in one line what was wrong with a provider's answer."""
    if isinstance(error, KeyError | TypeError):  # its text would be about Python
        return "what the provider answers is not OpenID Connect"
    return one_line(error)


def forget_oldest_begun() -> None:
    """Removes this browser's unfinished sign-ins from its session, except the two newest."""
    begun = [name for name in session if name.startswith(BEGUN)]
    for name in sorted(begun, key=lambda each: float(session[each]["exp"]))[: 1 - MOST_BEGUN]:
        del session[name]
