"""Reads `BREAKEVEN_*` variables, which override the config file.

The name is the path of the setting with `__` between its parts: `BREAKEVEN_COST__SETTLE_DAYS`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, get_origin

from models.config.refusals.unknown_keys import nearest
from models.config.section import Section
from models.config.settings import Settings
from models.contract.errors import ConfigError

PREFIX = "BREAKEVEN_"
CONFIG = f"{PREFIX}CONFIG"
"""The variable that names the config file."""
LISTS = ("extra", "hosts", "regions", "scopes", "tags", "trusted_proxies")
"""Keys whose variable lists values, separated by commas."""


def overrides(environ: Mapping[str, str]) -> dict[str, Any]:
    """Returns the settings that `BREAKEVEN_*` environment variables set, nested like the config.

    Example: `BREAKEVEN_COST__SETTLE_DAYS=5` gives `{"cost": {"settle_days": "5"}}`. Raises
    `ConfigError` for an unknown `BREAKEVEN_*`, with the nearest name.
    """
    found: dict[str, Any] = {}
    valid = dict(variables())
    for name, value in sorted(environ.items()):
        if not name.startswith(PREFIX) or name == CONFIG:
            continue
        if name not in valid:
            remedy = nearest(name, [*valid, CONFIG])
            raise ConfigError("unknown environment variable", value=name, remedy=remedy)
        if not value.strip():
            continue  # a compose file passes unset variables as empty text
        target = found
        *parents, leaf = valid[name]
        for parent in parents:
            target = target.setdefault(parent, {})
        target[leaf] = value.split(",") if leaf in LISTS else value
    return found


def variables() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yields (environment variable, config path) per setting outside lists of tables."""
    for name, field in Settings.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, Section):
            for leaf in field.annotation.model_fields:
                yield f"{PREFIX}{name}__{leaf}".upper(), (name, leaf)
        elif name != "home" and get_origin(field.annotation) is not tuple:
            yield f"{PREFIX}{name}".upper(), (name,)


def merged(table: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Returns two nested config tables merged; values of the second win."""
    result = dict(table)
    for key, value in over.items():
        inner = result.get(key)
        if isinstance(inner, dict) and isinstance(value, dict):
            result[key] = merged(inner, value)
        else:
            result[key] = value
    return result
