"""Finds the API key that `wandb login` wrote into `~/.netrc`, by the rules of W&B's own client."""

from __future__ import annotations

import os
from netrc import NetrcParseError, netrc
from pathlib import Path
from urllib.parse import urlsplit

CLOUD = "https://api.forge.coreweave.com"
"""Where W&B's client of today finds its cloud."""
CLOUDS = ("api.forge.coreweave.com", "api.wandb.ai")
"""One service at two addresses: `wandb login` wrote the key under either, by its version."""
PLACES = ("~/.netrc", "~/_netrc")


def key_in_netrc(location: str) -> str | None:
    """Returns the API key of a W&B server; None if there is none, or the file is no netrc."""
    host = urlsplit(location)
    names = [host.netloc, host.hostname or "", *(CLOUDS if host.hostname in CLOUDS else ())]
    for place in (os.environ.get("NETRC"), *PLACES):
        try:
            held = netrc(Path(place).expanduser()).hosts if place else {}
        except (OSError, NetrcParseError, UnicodeDecodeError):
            continue
        if found := next((held[name] for name in names if name in held), None):
            return found[2] or None
    return None
