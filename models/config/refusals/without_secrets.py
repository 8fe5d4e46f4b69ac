"""Removes the secrets from a config's text, for a backup."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

from models.config.loading import config_text
from models.config.refusals.shown_values import is_secret
from models.contract.errors import ConfigError
from models.contract.safe_text import HIDDEN, without_credentials


def without_secrets(path: Path) -> str:
    """Returns a config file's text, comments included, with secrets and URL credentials hidden.

    `ConfigError` where a secret is written so that it cannot be found in the text.
    """
    text = config_text(path)
    secrets = sorted(set(_secrets(tomllib.loads(text))), key=len, reverse=True)
    for secret in secrets:
        for quote in ('"', "'"):
            text = text.replace(f"{quote}{secret}{quote}", f"{quote}{HIDDEN}{quote}")
    text = without_credentials(text)
    if any(each != HIDDEN for each in _secrets(tomllib.loads(text))):
        raise ConfigError(
            f"{path}: a secret cannot be taken out for a backup",
            remedy="set them by the environment, as BREAKEVEN_SMTP__PASSWORD",
        )
    return text


def _secrets(value: object, *, secret: bool = False) -> Iterator[str]:
    """Yields each text below a key that is secret."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _secrets(each, secret=secret or is_secret(key))
    elif isinstance(value, list):
        for each in value:
            yield from _secrets(each, secret=secret)
    elif secret and value != "":
        yield str(value)
