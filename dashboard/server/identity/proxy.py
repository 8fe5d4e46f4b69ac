"""Reads who sends a request from the headers of a proxy: a signed one, or plain ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from flask import request
from joserfc import jws, jwt
from joserfc.errors import BadSignatureError, InvalidPayloadError, JoseError
from joserfc.jws import JWSRegistry
from werkzeug.exceptions import Unauthorized

from dashboard.server.identity.identity import Identity, from_claims, named
from dashboard.server.identity.issuer_keys import IssuerKeys, Key
from models.config.network.auth import Auth

FAMILIES, BITS = ("RS", "PS", "ES"), (256, 384, 512)
ALGORITHMS = ["EdDSA", "Ed25519", *(f"{name}{bits}" for name in FAMILIES for bits in BITS)]
"""Those with a public key: with a shared secret, whoever verifies could also sign."""
LEEWAY_SECONDS = 60
"""How far the clocks of two machines may be apart."""


def proxy_identity(auth: Auth) -> Callable[[], Identity | None]:
    """Returns a function that reads a request's sender from proxy headers, or None if unnamed."""
    if auth.jwt_header is None:
        return lambda: plain_identity(auth)
    signed, name = SignedHeader(auth), auth.jwt_header

    def signed_identity() -> Identity | None:
        value = request.headers.get(name, "").removeprefix("Bearer ")
        return signed.identity(value) if value else None

    return signed_identity


def plain_identity(auth: Auth) -> Identity | None:
    """Reads name and groups from the proxy's plain headers; None without a name."""
    sent = request.headers.get(auth.user_header)
    if sent is None:
        return None
    name = _in_utf8(sent)
    if "," in name:
        raise Unauthorized(f"two names in {auth.user_header}: the proxy must replace the header")
    groups = _in_utf8(request.headers.get(auth.groups_header, "")).split(",")
    return named(name, filter(None, map(str.strip, groups)))


def _in_utf8(header: str) -> str:
    """Returns a header's text decoded as UTF-8 in place of Latin-1; unchanged if that fails."""
    try:
        return header.encode("latin-1").decode()
    except UnicodeError:
        return header


class SignedHeader:
    """Validates a JWT that a proxy signs or passes on: signature, issuer, audience, expiry."""

    def __init__(self, auth: Auth) -> None:
        self._auth, self._keys = auth, IssuerKeys(auth)
        self._registry = JWSRegistry(algorithms=ALGORITHMS, strict_check_header=False)
        self._claims = jwt.JWTClaimsRegistry(
            leeway=LEEWAY_SECONDS,
            iss={"essential": True, "value": auth.issuer or ""},
            aud={"essential": True, "value": auth.jwt_audience},
            exp={"essential": True},
        )

    def identity(self, token: str) -> Identity:
        """Returns name and groups in a JWT; `Unauthorized` unless it is valid and for us."""
        try:
            claims = self._signed_claims(token)
            self._claims.validate(claims)
        except (JoseError, ValueError, RecursionError) as error:
            raise Unauthorized(f"the signed header is not valid: {error}") from None
        return from_claims(claims, self._auth)

    def _signed_claims(self, token: str) -> dict[str, Any]:
        """Returns a token's claims; a `JoseError` or `ValueError` unless the signature is right.

        A load balancer of AWS signs base64 with its padding, against RFC 7515, and writes whom the
        token is for, and until when, into the header. Its header counts before its claims: all load
        balancers of a region sign with the same keys, and any provider behind one chooses claims.
        """
        signed = jws.extract_compact(token.replace("=", "").encode(), registry=self._registry)
        signed.segments["header"], signed.segments["payload"] = token.encode().split(b".")[:2]
        if not jws.validate_compact(signed, self._key, registry=self._registry):
            raise BadSignatureError
        claims = json.loads(signed.payload or b"")
        if not isinstance(claims, dict):
            raise InvalidPayloadError
        header = {"aud": signed.headers().get("signer"), "exp": signed.headers().get("exp")}
        return claims | {name: value for name, value in header.items() if value is not None}

    def _key(self, signed: Any) -> Key:  # noqa: ANN401 - joserfc's own
        return self._keys.key(str(signed.headers().get("kid", "")))
