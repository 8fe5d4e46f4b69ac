"""An issuer of signed headers: its key set on loopback, and what it signs."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from joserfc import jwt
from joserfc.jwk import ECKey, RSAKey

from tests.support.loopback import serving

AUDIENCE = "breakeven"


class Issuer:
    """Who signs: `keys` are those it publishes, by their ids; `asked` what it was asked for."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.keys: dict[str, RSAKey | ECKey] = {}
        self.asked: list[str] = []
        self.fails = False

    def new_key(self, kid: str) -> ECKey:
        made = ECKey.generate_key("P-256", {"kid": kid})
        self.keys[kid] = made
        return made

    def signed(self, kid: str, key: RSAKey | ECKey | None = None, **claims: object) -> str:
        """A header for the dashboard, valid for a minute, with claims changed or added."""
        usual = {"iss": self.url, "aud": AUDIENCE, "exp": time.time() + 60, "email": "fay@x.io"}
        with_key = key or self.keys[kid]
        algorithm = "ES256" if isinstance(with_key, ECKey) else "RS256"
        given = {name: value for name, value in (usual | claims).items() if value is not None}
        return jwt.encode({"alg": algorithm, "kid": kid}, given, with_key)

    def answer(self, path: str) -> tuple[int, bytes]:
        """What is published: the discovery document, the key set, and each key in PEM."""
        self.asked.append(path)
        if self.fails:
            return 500, b""
        if path == "/.well-known/openid-configuration":
            return 200, json.dumps({"issuer": self.url, "jwks_uri": f"{self.url}/keys"}).encode()
        if path == "/keys":
            public = [key.as_dict(private=False) for key in self.keys.values()]
            return 200, json.dumps({"keys": public}).encode()
        key = self.keys.get(path.removeprefix("/pem/"))
        return (200, key.as_pem(private=False)) if key else (404, b"")


@contextmanager
def issuer() -> Iterator[Issuer]:
    """An issuer that answers on loopback until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, body = made.answer(self.path)
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    with serving(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as server:
        made = Issuer(server.server_address[1])
        yield made
