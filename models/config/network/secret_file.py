"""Reads a secret that stands alone in a file, as orchestrators mount one."""

from __future__ import annotations

from pathlib import Path

from models.contract.errors import ConfigError


def secret_in(path: Path, key: str) -> str:
    """Returns the secret in a file; `ConfigError` with the key that names it if it has none."""
    try:
        secret = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "not text"
        raise ConfigError(f"{key} cannot be read", value=f"{path}, {why}") from None
    if not secret:
        raise ConfigError(f"{key} is empty", value=path)
    return secret
