"""Reads a secret from a file that contains nothing else, as orchestrators mount one."""

from __future__ import annotations

from pathlib import Path

from models.contract.errors import ConfigError


def secret_in(path: Path, key: str) -> str:
    """Reads the secret that is a file's whole content; `ConfigError` if unreadable or empty."""
    try:
        secret = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "not text"
        raise ConfigError(f"{key} cannot be read", value=f"{path}, {why}") from None
    if not secret:
        raise ConfigError(f"{key} is empty", value=path)
    return secret
