"""Suggests the nearest valid name for an unknown key of the config, an option or an argument."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import get_args

from pydantic import BaseModel

SIMILAR = 0.5
"""How alike two names must be to suggest one for the other: `days` for `settle_days`."""
MOST = 15
"""How many known names an error lists; the rest is only counted, to keep it one clear line."""


def valid_names(loc: tuple[int | str, ...], root: type[BaseModel]) -> Iterable[str]:
    """Lists the valid keys of the config table that contains an unknown key."""
    model = root
    for part in loc[:-1]:
        if isinstance(part, str) and part in model.model_fields:
            annotation = model.model_fields[part].annotation
            inner = [annotation, *get_args(annotation)]
            model = next(t for t in inner if isinstance(t, type) and issubclass(t, BaseModel))
    return [field.alias or name for name, field in model.model_fields.items() if name != "home"]


def table_of(loc: tuple[int | str, ...]) -> str:
    """Returns the prefix for keys of a config key's table, such as `cost.`; "" at the top level."""
    return "".join(f"{part}." for part in loc[:-1] if isinstance(part, str))


def nearest(name: str, valid: Iterable[str], table: str = "") -> str:
    """Returns advice on an unknown name: `did you mean X?`, else a list of up to 15 valid names.

    `table` is the config table of the names, with a dot at its end: `cost.`.
    """
    names = list(valid)
    close = difflib.get_close_matches(name, names, n=1, cutoff=SIMILAR)
    if close:
        return f"did you mean {table}{close[0]}?"
    more = f" and {len(names) - MOST} more" if len(names) > MOST else ""
    return f"known: {', '.join(names[:MOST])}{more}"


def known_names(name: str, valid: Iterable[str]) -> str:
    """Returns advice on an unknown name: all valid names if up to 15, else the nearest."""
    names = list(valid)
    return nearest(name if len(names) > MOST else "", names)
