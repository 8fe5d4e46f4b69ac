"""The feeds: one file each, named here; there is no folder scanning."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from pydantic import ValidationError

from ingest.source import Source
from ingest.sources.cloudwatch import CloudWatch
from ingest.sources.cost_explorer import CostExplorer
from ingest.sources.focus import Focus
from ingest.sources.prices import Prices
from ingest.sources.progress_file import ProgressFile
from models.errors import ConfigError
from models.settings import Settings, SourceEntry

SOURCES: tuple[type[Source], ...] = (Focus, CostExplorer, ProgressFile, CloudWatch, Prices)


def configured(settings: Settings) -> list[Source]:
    """The sources of the config in its order, then the shipped prices. Raises `ConfigError`."""
    found = [_made(entry, settings) for entry in settings.sources]
    found.append(Prices.seed(settings))
    _refuse_twins(found)
    return found


def named(settings: Settings, names: Iterable[str] = ()) -> list[Source]:
    """The sources of these names; all of them when none is given. The shipped prices come along.

    Raises `ConfigError` for a name that no source has, and where all are asked and none is there.
    """
    *own, seed = configured(settings)
    asked = set(names)
    if not own and not asked:
        raise ConfigError(
            "no [[sources]] are configured", remedy="`breakeven init` writes a config to fill in"
        )
    known = sorted({source.name for source in own} | {seed.name})
    for name in sorted(asked.difference(known)):
        raise ConfigError("unknown source", value=name, remedy=_nearest(name, known))
    return [*(s for s in own if not asked or s.name in asked), seed]


def _made(entry: SourceEntry, settings: Settings) -> Source:
    kinds = {source.kind: source for source in SOURCES}
    if entry.kind not in kinds:
        raise ConfigError(
            "[[sources]]: unknown kind", value=entry.kind, remedy=_nearest(entry.kind, kinds)
        )
    source = kinds[entry.kind]
    try:
        options = source.accepts.model_validate(entry.options)
    except ValidationError as error:
        raise _fault(entry, source, error) from None
    return source(entry.label, options, settings)


def _fault(entry: SourceEntry, source: type[Source], error: ValidationError) -> ConfigError:
    fault = error.errors()[0]
    where = f"[[sources]] {entry.label}"
    option = ".".join(str(part) for part in fault["loc"])
    if fault["type"] == "extra_forbidden":
        remedy = _nearest(option, ["kind", "name", *source.accepts.model_fields])
        return ConfigError(f"{where}: unknown option", value=option, remedy=remedy)
    if fault["type"] == "missing":
        remedy = f"add `{option} = …` to that [[sources]]"
        return ConfigError(f"{where}: option missing", value=option, remedy=remedy)
    said = fault["msg"].removeprefix("Value error, ")
    given = f"{option} = {fault['input']!r}" if option else "options"
    return ConfigError(f"{where}: {given}", value=said)


def _refuse_twins(found: list[Source]) -> None:
    for number, source in enumerate(found):
        for other in found[:number]:
            if source.location == other.location:
                raise ConfigError(
                    f"[[sources]] {other.name} and {source.name} read the same",
                    value=source.location,
                    remedy="remove one of them",
                )
            if source.name == other.name and source.kind != other.kind:
                raise ConfigError(
                    f"[[sources]] {other.kind} and {source.kind} have the same name",
                    value=source.name,
                    remedy="give one of them another `name`",
                )


def _nearest(name: str, valid: Iterable[str]) -> str:
    names = list(valid)
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.4)
    return f"did you mean {close[0]}?" if close else f"known: {', '.join(names)}"
