"""Refuses to listen on a public address while nobody has to sign in."""

from __future__ import annotations

from models.config.network.loopback import is_loopback
from models.contract.errors import ConfigError


def refuse_open_address(host: str, *, allowed: bool) -> None:
    """Raises `ConfigError` for an address that is not loopback, unless it is allowed.

    Whoever reaches the dashboard may read the bill and close months.
    """
    if allowed or is_loopback(host):
        return
    raise ConfigError(
        "whoever reaches this address could read the bill and close months without signing in",
        value=host,
        remedy="listen on 127.0.0.1; or set auth.mode, so that people sign in; or, behind a proxy "
        "that authenticates, --insecure-no-auth (BREAKEVEN_SERVE__INSECURE_NO_AUTH=true)",
    )
