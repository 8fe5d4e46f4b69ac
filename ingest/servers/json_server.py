"""Sends requests to a server that answers in JSON; failures are one readable line.

Uses `requests` because it reads what the servers' own clients read: `~/.netrc` for name and
password, and the usual variables for proxies and certificates.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import requests
from requests.adapters import HTTPAdapter
from urllib3 import BaseHTTPResponse
from urllib3.exceptions import HTTPError, InvalidHeader
from urllib3.util import Retry

from ingest.servers.json_text import parsed
from ingest.servers.whole_body import EndlessError, whole_body
from models.contract.errors import SourceError
from models.contract.safe_text import without_credentials

TIMEOUT = (10, 60)
MOST_PAGES = 10_000
LONGEST_PAUSE = 120
"""Seconds that a server may have us wait before the next try."""
SECONDS = re.compile(r"^(\d+)\.\d*$")


class Patience(Retry):
    """Retries a request after the wait time that the server's answer asks for.

    It asks with the header `Retry-After`, W&B with `RateLimit-Reset`.
    """

    def increment(self, *about: Any, **more: Any) -> Self:  # noqa: ANN401
        """Counts one try of a request; closes its response, whose body may never end."""
        following = super().increment(*about, **more)
        if response := more.get("response"):
            response.close()
        return following

    def get_retry_after(self, response: BaseHTTPResponse) -> float | None:
        """Returns the seconds to wait before the next try; None if the server does not say."""
        asked = response.headers.get("Retry-After") or response.headers.get("RateLimit-Reset")
        try:
            # W&B tells fractions of a second, which the header's own definition does not know
            return self.parse_retry_after(SECONDS.sub(r"\1", asked)) if asked else None
        except InvalidHeader:
            return None


RETRIES = Patience(
    total=4,
    backoff_factor=0.5,
    status_forcelist=(429, 500, 502, 503, 504),
    allowed_methods=None,
    raise_on_status=False,
    retry_after_max=LONGEST_PAUSE,
)


def session(retries: Retry | None = None) -> requests.Session:
    """Makes a session that tries again where a server is busy or briefly away."""
    made = requests.Session()
    for scheme in ("http://", "https://"):
        made.mount(scheme, HTTPAdapter(max_retries=RETRIES if retries is None else retries))
    return made


@dataclass(frozen=True)
class JsonServer:
    """A server with a JSON API: its name in messages, its URL, and remedies by HTTP status."""

    name: str
    location: str
    remedies: Mapping[int, str]
    """What to do about an answer, by its HTTP status."""
    session: requests.Session
    timeout: tuple[int, int] = TIMEOUT
    """Seconds to wait for a connection, and for an answer."""

    def request(self, method: str, path: str, what: str, **request: object) -> dict[str, Any]:
        """Sends one request and returns the JSON object that answers it. Raises `SourceError`."""
        answer, body = self._answer(method, path, what, request)
        document = parsed(body) if answer.ok else None
        if not isinstance(document, Mapping):
            value = f"{answer.status_code} {body[:400].decode(errors='replace')[:200]}"
            raise self.refused(what, value, self.remedies.get(answer.status_code))
        return dict(document)

    def _answer(
        self, method: str, path: str, what: str, request: dict[str, Any]
    ) -> tuple[requests.Response, bytes]:
        """Sends a request and returns the response with its whole body. Raises `SourceError`."""
        url = self.location.rstrip("/") + path
        about = {"timeout": self.timeout, "stream": True, **request}
        try:
            with self.session.request(method, url, **about) as answer:
                return answer, whole_body(answer)
        except EndlessError as endless:
            raise self.refused(what, f"{endless}") from None
        except (requests.RequestException, HTTPError) as error:
            why, remedy = _innermost_reason(error), "check `location` and that the server runs"
            raise self._unreachable(why, remedy) from None
        except UnicodeEncodeError:  # its text would show a part of the password
            why = "a name or password has letters that no request can carry"
            raise self._unreachable(why, "correct ~/.netrc") from None

    def next_page(self, what: str, token: str | None, seen: set[str]) -> str | None:
        """Returns the next page's token, None after the last; adds it to those `seen`.

        Raises `SourceError` where a list comes to a page that it had, or has too many.
        """
        if not token:
            return None
        if token in seen or len(seen) >= MOST_PAGES:
            raise self.refused(what, f"a list of which page {len(seen) + 1} is not the last")
        seen.add(token)
        return token

    def refused(self, what: str, value: str, remedy: str | None = None) -> SourceError:
        """Makes a `SourceError` that says what the server refused, with the server's own words."""
        return SourceError(
            f"{self.name} at {without_credentials(self.location)} refused {what}",
            value=value,
            remedy=remedy or "see the server's log",
        )

    def _unreachable(self, why: str, remedy: str) -> SourceError:
        return SourceError(
            f"{self.name} at {without_credentials(self.location)} cannot be reached",
            value=why,
            remedy=remedy,
        )


def _innermost_reason(error: Exception) -> str:
    """Returns the innermost reason of a connection error as text; outer ones repeat the address."""
    inner: BaseException = error
    while reason := getattr(inner, "reason", None) or inner.__cause__ or _first(inner):
        inner = reason
    return str(inner)


def _first(error: BaseException) -> BaseException | None:
    first = error.args[0] if error.args else None
    return first if isinstance(first, BaseException) else None
