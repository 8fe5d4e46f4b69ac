"""Accepts headers about a request's sender and origin only from configured proxies."""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv6Address, ip_address
from typing import Any

from flask import Flask
from werkzeug.middleware.proxy_fix import ProxyFix

from models.config.network.auth import Auth

FOR = "X-Forwarded-For"


class TrustedProxies:
    """WSGI middleware that applies the headers of a configured proxy and drops those of others."""

    def __init__(self, app: Any, auth: Auth) -> None:  # noqa: ANN401 - a WSGI app
        self._app, self._networks = app, auth.proxies
        self._forwarded = ProxyFix(app, x_for=1, x_proto=1, x_host=0)
        self._names = [environ_name(each) for each in (FOR, auth.user_header, auth.groups_header)]

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:  # noqa: ANN401
        """Passes a request on, without headers of untrusted proxies; called by the server."""
        if self.trusts(environ.get("REMOTE_ADDR", "")):
            return self._forwarded(environ, start_response)
        for name in self._names:
            environ.pop(name, None)
        answer: Iterable[bytes] = self._app(environ, start_response)
        return answer

    def trusts(self, peer: str) -> bool:
        """Returns whether an IP address is in the networks of the configured proxies."""
        try:
            address = ip_address(peer)
        except ValueError:
            return False
        if isinstance(address, IPv6Address) and address.ipv4_mapped:
            address = address.ipv4_mapped
        return any(address in network for network in self._networks)


def environ_name(header: str) -> str:
    """Returns a header's key in a WSGI environment, such as `HTTP_X_FORWARDED_FOR`."""
    return f"HTTP_{header.replace('-', '_').upper()}"


def add_trusted_proxies(server: Flask, auth: Auth) -> None:
    """Wraps a server so that headers of a proxy count only if a configured proxy sent them."""
    server.wsgi_app = TrustedProxies(server.wsgi_app, auth)  # type: ignore[method-assign]
