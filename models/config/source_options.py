"""Checks the options of a `[[sources]]` table against the options that its kind accepts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from models.config.feeds import SourceEntry
from models.config.refusals.other_forms import problem
from models.config.refusals.places import place
from models.config.refusals.shown_values import shown
from models.config.refusals.unknown_keys import nearest, table_of, valid_names
from models.contract.errors import ConfigError

Accepted = TypeVar("Accepted", bound=BaseModel)


def accepted(
    entry: SourceEntry, kind: type[Accepted], options: Mapping[str, Any] | None = None
) -> Accepted:
    """Returns a `[[sources]]` entry's options validated as its kind's model; else `ConfigError`.

    With `options`, these are validated in place of the entry's own.
    """
    try:
        return kind.model_validate(entry.options if options is None else options)
    except ValidationError as error:
        raise _refusal(entry, kind, error) from None


def _refusal(entry: SourceEntry, kind: type[BaseModel], error: ValidationError) -> ConfigError:
    # reported first, because a misspelt option is why another one is missing or wrong
    fault = min(error.errors(), key=lambda each: each["type"] != "extra_forbidden")
    where = f"[[sources]] {entry.label}"
    loc, option = fault["loc"], place(fault["loc"])
    if fault["type"] == "extra_forbidden":
        own = ["kind", "name", "accounts", "regions"] if len(loc) == 1 else []
        remedy = nearest(str(loc[-1]), [*own, *valid_names(loc, kind)], table_of(loc))
        return ConfigError(f"{where}: unknown option", value=option, remedy=remedy)
    if fault["type"] == "missing":
        remedy = f"add `{option} = …` to that [[sources]]"
        return ConfigError(f"{where}: option missing", value=option, remedy=remedy)
    given = f": {option} = {shown(fault['input'], loc)}" if option else ""
    return ConfigError(f"{where}{given}", value=problem(fault))
