"""Writes a config value for an error message; secret ones are hidden."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal
from functools import cache
from typing import get_args

from pydantic import BaseModel, SecretStr

from models.contract.safe_text import HIDDEN, SECRET

SECRET_NAME = re.compile(rf"(?!.*_(?:file|per_step)$).*(?:{SECRET})", re.IGNORECASE)
"""Keys that are secret by their name, as of a misplaced one; a file of a secret is none, and
`tokens_per_step` counts what a model reads."""
COUNTER = ("metrics", "tokens")
"""Where a source's entry names its counter of the tokens that a model has read."""
ADDRESS = re.compile(r"^((?!s3:)[\w+.-]+://).+")
"""The text of an address of the web, of a chat, of a mail server, …: its scheme and the rest."""


def shown(value: object, place: Sequence[int | str] = ()) -> str:
    """Formats a config value for an error message; secrets in it are hidden.

    Of a recipient that is each address but S3's: a chat's has its tokens in its path, also where it
    was written as `location` or into `to`.
    """
    if is_secret(place):
        return HIDDEN
    if isinstance(value, dict):
        inner = (f"{key} = {shown(each, (*place, str(key)))}" for key, each in value.items())
        return "{" + ", ".join(inner) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(shown(each, place) for each in value) + "]"
    if isinstance(value, str) and place[:1] == ("recipients",):
        value = ADDRESS.sub(rf"\1{HIDDEN}", value)
    return str(value) if isinstance(value, Decimal | date) else repr(value)


def is_secret(place: Sequence[int | str]) -> bool:
    """Whether a config path has a key of a secret type or a secret-like name."""
    return any(
        isinstance(key, str) and _is_secret(key) and tuple(place[at - 1 : at + 1]) != COUNTER
        for at, key in enumerate(place)
    )


def _is_secret(key: str) -> bool:
    return key in _declared_secrets() or bool(SECRET_NAME.match(key))


@cache
def _declared_secrets() -> frozenset[str]:
    from models.config.settings import Settings

    return frozenset(_secrets_of(Settings))


def _secrets_of(model: type[BaseModel]) -> Iterator[str]:
    for name, field in model.model_fields.items():
        kinds = [field.annotation, *get_args(field.annotation)]
        if SecretStr in kinds:
            yield name
        for kind in kinds:
            if isinstance(kind, type) and issubclass(kind, BaseModel):
                yield from _secrets_of(kind)
