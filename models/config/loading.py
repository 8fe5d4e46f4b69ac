"""Loads `Settings` from `breakeven.toml` and the environment, and reports the first error.

Unknown keys, in the file or in the environment, are refused with the nearest valid name.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError

from models.config.environment_overrides import CONFIG, PREFIX, merged, overrides, variables
from models.config.refusals.other_forms import problem
from models.config.refusals.places import place
from models.config.refusals.shown_values import shown
from models.config.refusals.unknown_keys import nearest, table_of, valid_names
from models.config.settings import Settings
from models.contract.errors import ConfigError

DEFAULT_FILE = "breakeven.toml"


def load(config: Path | None = None, environ: Mapping[str, str] | None = None) -> Settings:
    """Loads the settings from the config file and the environment; the environment wins.

    The file is `config`, else `$BREAKEVEN_CONFIG`, else `./breakeven.toml` where it exists. Raises
    `ConfigError` with a message of one line.
    """
    environ = os.environ if environ is None else environ
    path = config_path(config, environ)
    if (config or environ.get(CONFIG)) and not path.is_file():
        raise ConfigError("config not found", value=path, remedy="`breakeven init` writes one")
    table = _read(path) if path.is_file() else {}
    home = path.resolve().parent if path.is_file() else Path.cwd()
    refuse_secret(table, path)
    _refuse_nul(table, (), path)
    given = {key: name for name, key in variables() if environ.get(name)}
    where = str(path) if path.is_file() else f"{PREFIX}*"
    return validated_settings(
        merged(table, overrides(environ)), home=home, where=where, named=given
    )


def refuse_secret(table: Mapping[str, Any], path: Path) -> None:
    """Raises `ConfigError` if the config file contains the sign-in client's secret."""
    auth = table.get("auth")
    if isinstance(auth, dict) and "client_secret" in auth:
        raise ConfigError(
            f"{path}: auth.client_secret is in the file",
            remedy=f"set {PREFIX}AUTH__CLIENT_SECRET, or auth.client_secret_file",
        )


def _refuse_nul(value: object, loc: tuple[int | str, ...], path: Path) -> None:
    """Raises `ConfigError` for a text with the character NUL, which no file's name may have."""
    if isinstance(value, str) and "\0" in value:
        raise ConfigError(f"{path}: {place(loc)} has a NUL character", remedy="remove it")
    held = value.items() if isinstance(value, dict) else ()
    for key, one in enumerate(value) if isinstance(value, list) else held:
        _refuse_nul(one, (*loc, key), path)


def config_path(config: Path | None, environ: Mapping[str, str] = os.environ) -> Path:
    """Returns the config file's path: as given, else `$BREAKEVEN_CONFIG`, else `breakeven.toml`."""
    return config or Path(environ.get(CONFIG) or DEFAULT_FILE)


def validated_settings(
    table: Mapping[str, Any],
    *,
    home: Path,
    where: str = DEFAULT_FILE,
    named: Mapping[tuple[str, ...], str] = MappingProxyType({}),
) -> Settings:
    """Returns the `Settings` of a config given as a dictionary; `ConfigError` for its first error.

    `where` names the config in messages. `named` maps the path of a value to the environment
    variable that set it, for messages.
    """
    if "home" in table:
        raise ConfigError(f"{where}: unknown key", value="home", remedy="remove it")
    try:
        return Settings.model_validate({**table, "home": home})
    except ValidationError as error:
        raise _first_error(error, where, named) from None


def config_text(path: Path) -> str:
    """Reads the text of a config file; `ConfigError` if it cannot be read or is not TOML.

    Without the byte order mark that some editors write at its beginning.
    """
    _read(path)
    return path.read_text(encoding="utf-8-sig")


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"), parse_float=Decimal)
    except (ValueError, RecursionError) as error:  # of TOML, UTF-8, a huge number, deep nesting
        cause = str(error).partition("; use sys.")[0]
        raise ConfigError(
            f"{path} is not valid TOML", value=cause, remedy="`breakeven init` shows a valid one"
        ) from None
    except OSError as error:
        raise ConfigError(f"cannot read {path}", value=error.strerror) from None


def _first_error(
    error: ValidationError, where: str, named: Mapping[tuple[str, ...], str]
) -> ConfigError:
    fault = error.errors()[0]
    loc = fault["loc"]
    path = f"{where}: {place(loc)}"
    path = next((name for key, name in named.items() if key == loc[: len(key)]), path)
    if fault["type"] == "extra_forbidden":
        remedy = nearest(str(loc[-1]), valid_names(loc, Settings), table_of(loc))
        return ConfigError(f"{where}: unknown key", value=place(loc), remedy=remedy)
    hidden = fault["type"] == "missing" or _holds_tables(fault["input"])
    value = "" if hidden else f" = {shown(fault['input'], loc)}"
    return ConfigError(f"{path}{value}", value=problem(fault))


def _holds_tables(value: object) -> bool:
    """Whether a config value is a list that contains tables."""
    return isinstance(value, list) and any(isinstance(one, dict) for one in value)
