"""Removes the secrets from a config's text, for a backup."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from models.config.loading import config_text
from models.config.refusals.shown_values import is_secret
from models.contract.errors import ConfigError
from models.contract.safe_text import HIDDEN, without_credentials

COMMENT = re.compile(r"""^((?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^"'#\n])*)(#.*)$""", re.MULTILINE)
"""A line with a comment: what stands before it, and the comment."""
KEY = re.compile(r"""([\w."'-]+)\s*=\s*""")


def without_secrets(path: Path) -> str:
    """Returns a config file's text, comments included, with secrets and URL credentials hidden.

    Secrets in comments are hidden, too: an old password may still be valid.
    `ConfigError` where a secret is written so that it cannot be found in the text.
    """
    text = config_text(path)
    secrets = sorted(set(_secrets(tomllib.loads(text))), key=len, reverse=True)
    for secret in secrets:
        for quote in ('"', "'"):
            text = text.replace(f"{quote}{secret}{quote}", f"{quote}{HIDDEN}{quote}")
    text = COMMENT.sub(_without_commented, without_credentials(text))
    if not _is_clean(text):
        raise ConfigError(
            f"{path}: a secret cannot be taken out for a backup",
            remedy="set them by the environment, as BREAKEVEN_SMTP__PASSWORD",
        )
    return text


def _is_clean(text: str) -> bool:
    """Whether a config's text still can be read, and has no secret that is not hidden."""
    try:
        return all(each == HIDDEN for each in _secrets(tomllib.loads(text)))
    except tomllib.TOMLDecodeError:
        return False


def _secrets(value: object, place: tuple[str, ...] = ()) -> Iterator[str]:
    """Yields each secret value of a config, as text, found by keys of secret type or name."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _secrets(each, (*place, key))
    elif isinstance(value, list):
        for each in value:
            yield from _secrets(each, place)
    elif is_secret(place) and value != "" and not isinstance(value, bool):
        yield str(value)


def _without_commented(line: re.Match[str]) -> str:
    """Hides all of a comment that follows the first key in it that is secret by its name.

    Where its value ends cannot be known: what is commented out need not be TOML.
    """
    before, comment = line.groups()
    for key in KEY.finditer(comment):
        if is_secret([part.strip("\"'") for part in key[1].split(".")]):
            return f"{before}{comment[: key.end()]}{HIDDEN}"
    return line[0]
