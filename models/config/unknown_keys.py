"""Suggests the nearest valid name for an unknown key of the config, an option or an argument."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import get_args

from pydantic import BaseModel


def valid_names(loc: tuple[int | str, ...], root: type[BaseModel]) -> Iterable[str]:
    """Lists the valid keys of the config table in which an unknown key was found."""
    model = root
    for part in loc[:-1]:
        if isinstance(part, str) and part in model.model_fields:
            annotation = model.model_fields[part].annotation
            inner = [annotation, *get_args(annotation)]
            model = next(t for t in inner if isinstance(t, type) and issubclass(t, BaseModel))
    return [field.alias or name for name, field in model.model_fields.items() if name != "home"]


def nearest(name: str, valid: Iterable[str]) -> str:
    """Suggests a remedy for an unknown name: `did you mean X?`, or all known names."""
    names = list(valid)
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.4)
    return f"did you mean {close[0]}?" if close else f"known: {', '.join(names)}"
