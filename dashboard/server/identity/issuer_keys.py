"""The keys with which an issuer signs: fetched once, and again when a key is unknown."""

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
"""How long an issuer is left alone after it was asked: ids of keys are cheap to make up."""
FAULT_PAUSE_SECONDS = 15
"""How long, after it did not answer: each try holds up a thread of the server."""
PLAIN_ID = re.compile(r"[A-Za-z0-9._-]{1,128}")
MOST = 1000
Key = RSAKey | ECKey | OKPKey


class IssuerKeys:
    """The keys of one issuer, by their ids. Safe between threads."""

    def __init__(self, auth: Auth) -> None:
        self._auth = auth
        self._lock = threading.Lock()
        self._keys: dict[str, Key] = {}
        self._free_at = 0.0
        self._fault = ""

    def key(self, kid: str) -> Key:
        """Returns the key of an id; `Unauthorized` where the issuer has none.

        Raises `ServiceUnavailable` where the issuer does not say.
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
    """Fetches all public keys of an address, by their ids."""
    listed = KeySet.import_key_set(fetched(address).json())
    return {key.kid or "": key for key in listed if isinstance(key, Key)}


def one_key(address: str, kid: str) -> dict[str, Key]:
    """Fetches a key in PEM by its id, as a load balancer of AWS has it; nothing if unknown."""
    try:
        return {kid: ECKey.import_key(fetched(address.replace(KEY_ID, kid)).text)}
    except requests.HTTPError as error:
        if error.response is not None and error.response.status_code in (403, 404):
            return {}
        raise


def discovered(issuer: str) -> dict[str, Any]:
    """Returns what an issuer says of itself; `ValueError` where it calls itself by another name."""
    document: dict[str, Any] = fetched(issuer.rstrip("/") + DISCOVERY).json()
    if document.get("issuer") != issuer:
        raise ValueError(f"the issuer calls itself {document.get('issuer')}")
    return document


def fetched(address: str) -> requests.Response:
    """Returns the answer of an address; `RequestException` unless it is 200."""
    answer = requests.get(address, timeout=TIMEOUT_SECONDS, allow_redirects=False)
    answer.raise_for_status()
    if answer.status_code != 200:
        raise requests.RequestException(f"{address} answers {answer.status_code}")
    return answer


def one_line(error: Exception) -> str:
    """Returns what an error says, as one short line."""
    return on_one_line(without_credentials(str(error) or type(error).__name__))[:200]
