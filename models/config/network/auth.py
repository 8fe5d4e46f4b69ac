"""Defines `[auth]`: how the dashboard learns who a visitor is."""

from __future__ import annotations

import re
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, SecretStr, model_validator

from models.config.network.loopback import is_loopback
from models.config.section import Section

HEADER = re.compile(r"[A-Za-z0-9]+(-[A-Za-z0-9]+)*")
KEY_ID = "{kid}"
"""Place of a key's id in the address of one key; without it the address is that of a key set."""


def _encrypted(url: str) -> str:
    """Refuses a URL that is not https (http on loopback only) or that has a user or password."""
    parts = urlsplit(url)
    if not parts.hostname or parts.username is not None:
        raise ValueError("an address that begins with https://, without user and password")
    if parts.scheme != "https" and not (parts.scheme == "http" and is_loopback(parts.hostname)):
        raise ValueError("an address that begins with https:// (http:// on loopback only)")
    return url


def _header(name: str) -> str:
    if not HEADER.fullmatch(name):
        raise ValueError("the name of a header: letters, digits and hyphens")
    return name


def _network(text: str) -> str:
    if ip_network(text).prefixlen == 0:
        raise ValueError("every address: whoever reaches the port could take any name")
    return text


Url = Annotated[str, AfterValidator(_encrypted)]
Header = Annotated[str, AfterValidator(_header)]
Network = Annotated[str, AfterValidator(_network)]


class Auth(Section):
    """The table `[auth]`: people sign in at a provider, a proxy names them, or nobody signs in.

    `issuer` is the OIDC provider; with `jwt_header`, whoever signs that header. `jwt_keys` is the
    address of the keys, where the issuer does not say it; with `{kid}` in it, of one key in PEM.
    The claims name the user and their groups, in what either signs. Without `jwt_header`, a proxy
    at one of the `trusted_proxies` names them in `user_header` and `groups_header`.

    The secret is set by BREAKEVEN_AUTH__CLIENT_SECRET or stands alone in `client_secret_file`.
    """

    mode: Literal["none", "oidc", "proxy"] = "none"
    issuer: Url | None = None
    client_id: str = ""
    client_secret: SecretStr = SecretStr("")
    client_secret_file: Path | None = None
    scopes: tuple[str, ...] = ("openid", "email", "profile")
    user_claim: str = Field("email", min_length=1)
    groups_claim: str = Field("groups", min_length=1)
    trusted_proxies: tuple[Network, ...] = ()
    user_header: Header = "X-Forwarded-User"
    groups_header: Header = "X-Forwarded-Groups"
    jwt_header: Header | None = None
    jwt_audience: str = ""
    jwt_keys: Url | None = None

    @model_validator(mode="after")
    def _complete(self) -> Self:
        missing = [name for name in self._needed() if not getattr(self, name)]
        if missing:
            raise ValueError(f"mode {self.mode!r} needs {' and '.join(missing)}")
        if self.mode == "oidc" and "openid" not in self.scopes:
            raise ValueError("scopes must have 'openid'")
        return self

    def _needed(self) -> tuple[str, ...]:
        if self.mode == "oidc":
            return "issuer", "client_id"
        if self.mode == "none":
            return ()
        return ("issuer", "jwt_audience") if self.jwt_header else ("trusted_proxies",)

    @property
    def is_on(self) -> bool:
        """Whether dashboard visitors must be signed in, by breakeven or by a proxy."""
        return self.mode != "none"

    @property
    def proxies(self) -> tuple[IPv4Network | IPv6Network, ...]:
        """The networks of proxies whose headers about user and address are trusted."""
        return tuple(ip_network(each) for each in self.trusted_proxies)
