"""Fetches an issuer's public keys once, and again when a key is unknown."""

from __future__ import annotations

import re
import threading
import time
from typing import Any

import requests
from joserfc.errors import JoseError
from joserfc.jwk import ECKey, KeySet, OKPKey, RSAKey
from werkzeug.exceptions import ServiceUnavailable, Unauthorized

from models.config.network.auth import KEY_ID, Auth
from models.contract.safe_text import on_one_line, without_credentials

DISCOVERY = "/.well-known/openid-configuration"
TIMEOUT_SECONDS = 5
PAUSE_SECONDS = 2
"""Least time between two requests to an issuer, because anybody can make up ids of keys."""
FAULT_PAUSE_SECONDS = 15
"""The same after a failed request, because each one blocks a thread of the server."""
PLAIN_ID = re.compile(r"[A-Za-z0-9._-]{1,128}")
MOST = 1000
Key = RSAKey | ECKey | OKPKey


class IssuerKeys:
    """The public keys of one issuer, fetched when a key's id is unknown; thread-safe."""

    def __init__(self, auth: Auth) -> None:
        self._auth = auth
        self._lock = threading.Lock()
        self._keys: dict[str, Key] = {}
        self._free_at = 0.0
        self._fault = ""

    def key(self, kid: str) -> Key:
        """Returns the issuer's public key of an id; `Unauthorized` if it has none.

        Raises `ServiceUnavailable` if the issuer does not answer.
        """
        if kid not in self._keys:
            with self._lock:
                if kid not in self._keys and time.monotonic() >= self._free_at:
                    self._fetch(kid)
        if kid in self._keys:
            return self._keys[kid]
        if self._fault:
            raise ServiceUnavailable(f"the issuer's keys cannot be read: {self._fault}")
        raise Unauthorized("signed with a key that the issuer does not have")

    def _fetch(self, kid: str) -> None:
        try:
            self._keys, self._fault = self._fetched(kid), ""
        except (requests.RequestException, JoseError, ValueError, KeyError, TypeError) as error:
            self._fault = one_line(error)
        self._free_at = time.monotonic() + (FAULT_PAUSE_SECONDS if self._fault else PAUSE_SECONDS)

    def _fetched(self, kid: str) -> dict[str, Key]:
        address = self._auth.jwt_keys or str(discovered(self._auth.issuer or "")["jwks_uri"])
        if KEY_ID not in address:
            return key_set(address)
        known = self._keys if len(self._keys) < MOST else {}
        return known | one_key(address, kid) if PLAIN_ID.fullmatch(kid) else known


def key_set(address: str) -> dict[str, Key]:
    """Fetches all public keys at an address; returns id → key."""
    listed = KeySet.import_key_set(fetched(address).json())
    return {key.kid or "": key for key in listed if isinstance(key, Key)}


def one_key(address: str, kid: str) -> dict[str, Key]:
    """Fetches a PEM key as AWS load balancers serve it; returns id → key, empty if unknown."""
    try:
        return {kid: ECKey.import_key(fetched(address.replace(KEY_ID, kid)).text)}
    except requests.HTTPError as error:
        if error.response is not None and error.response.status_code in (403, 404):
            return {}
        raise


def discovered(issuer: str) -> dict[str, Any]:
    """Fetches an issuer's OpenID configuration; `ValueError` if it is another issuer's."""
    document: dict[str, Any] = fetched(issuer.rstrip("/") + DISCOVERY).json()
    if document.get("issuer") != issuer:
        raise ValueError(f"the issuer calls itself {document.get('issuer')}")
    return document


def fetched(address: str) -> requests.Response:
    """Fetches a URL and returns the response; `RequestException` unless its status is 200."""
    answer = requests.get(address, timeout=TIMEOUT_SECONDS, allow_redirects=False)
    answer.raise_for_status()
    if answer.status_code != 200:
        raise requests.RequestException(f"{address} answers {answer.status_code}")
    return answer


def one_line(error: Exception) -> str:
    """Returns an error's message as a short line without credentials; a code as separate words."""
    message = str(error).rstrip(":. ") or type(error).__name__
    words = message.replace("_", " ") if message.isidentifier() else message
    return on_one_line(without_credentials(words))[:200]
