"""Tells loopback addresses, which only this machine can reach, from all others."""

from __future__ import annotations

from ipaddress import ip_address


def is_loopback(host: str) -> bool:
    """Returns whether a host is a loopback address or `localhost`."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
