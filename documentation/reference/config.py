"""The page of the config: every key with type, default, unit, meaning and what is refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from documentation.reference.config_fields import (
    default_of,
    inner_model,
    refusals,
    refusing,
    type_of,
)
from documentation.reference.markdown import code, page, table, words
from ingest.source import Source
from ingest.sources import SOURCES
from models.config.settings import Settings

INTRODUCTION = """\
Settings come from `breakeven.toml` or from the environment: `BREAKEVEN_` and the path of a key
with `__`, as `BREAKEVEN_COST__BASIS=list`. An empty variable counts as not set. An unknown key is
refused, with the nearest valid name. Locations are relative to the file. `breakeven init` writes
a file with the keys that most set-ups need, and a remark on each.

A refusal is one line with the key, its value and the reason: `breakeven.toml: cost.settle_days =
61: …`. Below each table stands what it refuses beside values of another type or beyond the
limits; values that differ stand in angle brackets."""
HEAD = ("key", "type", "default", "unit", "meaning")
KINDS = """\
Each `[[sources]]` entry has `kind`, the options of that kind, and where needed `name`,
`accounts`, `regions` and `schedule`. [Sources](../sources.md) and [schedulers](../schedulers.md)
say more of each."""


def config() -> str:
    """Returns the page of all keys, in the order of the config's model."""
    alone = {name: field for name, field in _fields(Settings) if not inner_model(field.annotation)}
    parts = [["## Keys of their own"], table(HEAD, (_row("", *each) for each in alone.items()))]
    for name, field in _fields(Settings):
        if model := inner_model(field.annotation):
            listed = field.annotation is not model
            parts += _table(f"[[{name}]]" if listed else f"[{name}]", name, model)
    return page("Configuration", [INTRODUCTION], *parts, *_sources())


def _fields(model: type[BaseModel]) -> Iterator[tuple[str, FieldInfo]]:
    """Yields (key, field) of a config table; fields that the config cannot set are left out."""
    for name, field in model.model_fields.items():
        if not field.exclude:
            yield field.alias or name, field


def _table(title: str, path: str, model: type[BaseModel]) -> Iterator[list[str]]:
    yield [f"## {title}"]
    yield table(HEAD, (_row(path, name, field) for name, field in _fields(model)))
    if refused := refusals(model, *refusing(Settings, path)):
        yield ["Refused:"]
        yield [f"- {code(text)}" for text in refused]


def _row(path: str, name: str, field: FieldInfo) -> tuple[str, str, str, str, str]:
    said = words_of(f"{path}.{name}" if path else name)
    return code(name), type_of(field), default_of(field), said.get("unit", ""), said["means"]


def words_of(key: str) -> Mapping[str, str]:
    """Returns a dict of meaning and unit of a config key, from `config_keys.toml`.

    Raises `LookupError` for one that has no words yet.
    """
    known: Mapping[str, Mapping[str, str]] = words("config_keys")
    shared = f"options.{key.rpartition('.')[2]}" if key.count(".") > 1 else key
    return known[key] if key in known else _described(known, shared)


def _described(known: Mapping[str, Any], name: str) -> Any:  # noqa: ANN401 - as TOML has it
    """Returns the entry of a name in `config_keys.toml`; else raises `LookupError`."""
    if name not in known:
        raise LookupError(f"documentation/words/config_keys.toml has no words for {name}")
    return known[name]


def _sources() -> Iterator[list[str]]:
    yield ["## Kinds of sources"]
    yield [KINDS]
    for source in SOURCES:
        yield [f"### {source.kind}"]
        means = _described(words("config_keys")["kinds"], source.kind)
        yield [f"{means} Pulled by `schedule.{source.group}`."]
        yield from _options(source)


def _options(source: type[Source]) -> Iterator[list[str]]:
    path = f"sources.{source.kind}"
    if rows := [_row(path, name, field) for name, field in _fields(source.accepts)]:
        yield table(HEAD, rows)
    if refused := refusals(source.accepts):
        yield ["Refused:"]
        yield [f"- {code(text)}" for text in refused]
