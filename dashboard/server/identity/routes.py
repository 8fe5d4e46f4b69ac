"""Defines the routes for signing in at a provider, and for signing out."""

from __future__ import annotations

from typing import Any

from flask import Flask, Response, redirect
from werkzeug.exceptions import HTTPException, ServiceUnavailable

from dashboard.server.identity.provider_sign_in import BACK, Provider
from dashboard.server.identity.refused_requests import RefusedRequests
from dashboard.server.identity.sessions import Sessions
from dashboard.server.identity.sign_in_pages import sign_in_page
from models.access.acting import Actor, acting, actor
from models.access.people import person
from models.access.person import Person
from models.config.settings import Settings
from models.records.audit import DONE, record

SIGN_IN, SIGNED_IN, SIGN_OUT = "/sign-in", "/signed-in", "/sign-out"
ROUTES = frozenset((SIGN_IN, BACK, SIGN_OUT))
"""Endpoints that need no identity."""
NOT_GRANTED = "no entry of [[access]] names this user or a group of theirs"
AGAIN = f"{SIGN_IN}?again"


class SigningIn:
    """Answers the requests of signing in and out."""

    def __init__(
        self, settings: Settings, provider: Provider, sessions: Sessions, refused: RefusedRequests
    ) -> None:
        self._settings, self._provider = settings, provider
        self._sessions, self._refused = sessions, refused

    def register(self, server: Flask) -> None:
        """Registers the routes of signing in and out with a Flask server."""
        server.add_url_rule(SIGN_IN, SIGN_IN, self.leave)
        server.add_url_rule(BACK, BACK, self.come_back)
        server.add_url_rule(SIGN_OUT, SIGN_OUT, self.sign_out, methods=["POST"])

    def leave(self) -> Any:  # noqa: ANN401 - a response of either framework
        """Redirects a browser to the provider, or renders a page on why that is impossible."""
        try:
            return self._provider.leave()
        except HTTPException as error:
            return self._not_signed_in(error)

    def come_back(self) -> Any:  # noqa: ANN401
        """Signs in whom the provider sends back and redirects to their page, or says why not."""
        page = self._provider.requested_page()
        try:
            who = self._provider.identity()
        except HTTPException as error:
            return self._not_signed_in(error)
        access = self._settings.access
        known = person(who.name, who.groups, access)
        if known is None:
            return self._unknown(who.name)
        granted = {entry.group for entry in access if entry.group}
        with acting(Actor(known, actor().origin)):
            record(self._settings.data, "sign-in", DONE, {})
            self._sessions.begin(who._replace(groups=tuple(sorted(granted & {*who.groups}))))
        return redirect(page)

    def sign_out(self) -> Response:
        """Ends the session, also for copies of its cookie, and renders a page that says so."""
        if (who := self._sessions.identity()) is not None:
            known = person(*who, self._settings.access) or Person(who.name, ())
            with acting(Actor(known, actor().origin)):
                record(self._settings.data, "sign-out", DONE, {})
                self._sessions.end()
        return sign_in_page("Signed out", "You are signed out.", "Sign in again", AGAIN)

    def _not_signed_in(self, error: HTTPException) -> Response:
        if isinstance(error, ServiceUnavailable) and error.retry_after:
            return _try_again(f"{error.description}.", f"{error.retry_after}")
        self._refused.count("sign-in", f"{error.description}")
        sentence = f"{error.description}."
        return sign_in_page("Not signed in", sentence, "Try again", SIGN_IN, error.code or 500)

    def _unknown(self, name: str) -> Response:
        self._refused.count("sign-in", NOT_GRANTED, Actor(Person(name, ()), actor().origin))
        sentence = (
            f"You are {name}, but you have no access here. Ask who runs breakeven for "
            "an entry of [[access]] that names you or one of your groups."
        )
        return sign_in_page("No access", sentence, "Sign in as somebody else", AGAIN, 403)


def _try_again(sentence: str, seconds: str) -> Response:
    """Renders an error page (503) that the browser loads again after some seconds."""
    answer = sign_in_page("Signing in", sentence, status=503)
    answer.headers["Retry-After"] = answer.headers["Refresh"] = seconds
    return answer


def signed_in() -> Response:
    """Renders the page that asks to close this tab, after signing in for another tab."""
    return sign_in_page("Signed in", "Close this tab and continue in the other one.")
