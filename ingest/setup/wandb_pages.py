"""Recognises a page of W&B's cloud where a user says that the progress of runs is there."""

from __future__ import annotations

import json
from urllib.parse import unquote, urlsplit

from models.contract.errors import ConfigError

CLOUD = ("wandb.ai", "www.wandb.ai", "api.wandb.ai", "api.forge.coreweave.com")
FORGE = "forge.coreweave.com"
"""The cloud's newer address, where W&B's pages are below `/wandb`."""
DEDICATED = ".wandb.io"
"""What the hosts of dedicated clouds end in."""


def wandb_source(address: str) -> str | None:
    """Returns the `[[sources]]` entry for a page of W&B's cloud; None for another address.

    The page is of a team or of one of its projects. Raises `ConfigError` if it is of neither.
    """
    host = urlsplit(address).hostname or ""
    names = [unquote(name) for name in urlsplit(address).path.split("/") if name]
    if host == FORGE and names[:1] == ["wandb"]:
        del names[0]
    elif host not in CLOUD and not host.endswith(DEDICATED):
        return None
    if not names:
        raise ConfigError(
            "--progress: this address of W&B names no team",
            value=address,
            remedy="write that of a project's page, such as https://wandb.ai/your-team/pretrain",
        )
    lines = ['[[sources]]\nkind = "wandb"', f"entity = {json.dumps(names[0])}"]
    lines += [f"projects = [{json.dumps(name)}]" for name in names[1:2]]
    lines += [f'location = "https://{host}"'] if host.endswith(DEDICATED) else []
    return "\n".join(lines) + "\n"
