"""Believes what a proxy says of a request, who asks and from where, only of configured proxies."""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv6Address, ip_address
from typing import Any

from flask import Flask
from werkzeug.middleware.proxy_fix import ProxyFix

from models.config.network.auth import Auth

FOR = "X-Forwarded-For"


class TrustedProxies:
    """A WSGI app before the dashboard's: takes in or drops the headers of a proxy."""

    def __init__(self, app: Any, auth: Auth) -> None:  # noqa: ANN401 - a WSGI app
        self._app, self._networks = app, auth.proxies
        self._forwarded = ProxyFix(app, x_for=1, x_proto=1, x_host=0)
        self._names = [environ_name(each) for each in (FOR, auth.user_header, auth.groups_header)]

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:  # noqa: ANN401
        """Answers a request; called by the server."""
        if self.trusts(environ.get("REMOTE_ADDR", "")):
            return self._forwarded(environ, start_response)
        for name in self._names:
            environ.pop(name, None)
        answer: Iterable[bytes] = self._app(environ, start_response)
        return answer

    def trusts(self, peer: str) -> bool:
        """Whether the other end of a connection is one of the configured proxies."""
        try:
            address = ip_address(peer)
        except ValueError:
            return False
        if isinstance(address, IPv6Address) and address.ipv4_mapped:
            address = address.ipv4_mapped
        return any(address in network for network in self._networks)


def environ_name(header: str) -> str:
    """Returns the name of a header as WSGI has it."""
    return f"HTTP_{header.replace('-', '_').upper()}"


def add_trusted_proxies(server: Flask, auth: Auth) -> None:
    """Puts the check of proxies before a Flask server."""
    server.wsgi_app = TrustedProxies(server.wsgi_app, auth)  # type: ignore[method-assign]
