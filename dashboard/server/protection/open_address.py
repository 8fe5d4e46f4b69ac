"""Refuses to listen where others reach the dashboard, because nobody signs in to it."""

from __future__ import annotations

from ipaddress import ip_address

from models.contract.errors import ConfigError


def refuse_open_address(host: str, *, allowed: bool) -> None:
    """Raises `ConfigError` for an address that is not loopback, unless it is allowed.

    Whoever reaches the dashboard may read the bill and close months.
    """
    if allowed or is_loopback(host):
        return
    raise ConfigError(
        "whoever reaches this address reads the bill and closes months: nobody signs in",
        value=host,
        remedy="listen on 127.0.0.1; or set auth.mode, so that people sign in; or, if something in "
        "front lets only some through, --insecure-no-auth (BREAKEVEN_SERVE__INSECURE_NO_AUTH=true)",
    )


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address; of names, that is known of `localhost`."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
