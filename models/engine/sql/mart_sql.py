"""The SQL of every mart, from the declared columns of what it reads."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from functools import partial

import ibis
import ibis.expr.schema as sch
import ibis.expr.types as ir

from models.config.settings import Settings
from models.config.unknown_keys import nearest
from models.contract import schema
from models.contract.errors import ConfigError
from models.engine.sql.compiled_sql import Compiled, Said
from models.engine.sql.rendering import render, sql
from models.marts import MARTS, SPEND_REDUCED, Mart


def input_columns(settings: Settings) -> dict[str, Mapping[str, str]]:
    """The columns and types of what every mart stands on."""
    fixed = {**schema.CONFIG, **schema.BESIDE, **schema.DELIVERED}
    return fixed | {"charges": schema.expanded(schema.CHARGES, settings.tags.extra)}


def texts(settings: Settings, known: Compiled) -> dict[str, Said]:
    """Every mart in DuckDB's SQL, in order; compiled where `known` does not know it."""
    columns = input_columns(settings)
    said: dict[str, Said] = {}
    for mart in (SPEND_REDUCED, *MARTS):
        said[mart.__name__] = _said(mart, columns, settings, known)
        columns[mart.__name__] = said[mart.__name__].columns
    return said


def reduced_columns(settings: Settings, known: Compiled) -> Mapping[str, str]:
    """The columns of `spend_reduced` and their types."""
    return _said(SPEND_REDUCED, input_columns(settings), settings, known).columns


def _said(
    mart: Mart, columns: Mapping[str, Mapping[str, str]], settings: Settings, known: Compiled
) -> Said:
    about = ("mart", mart.__name__, [columns[name] for name in _tables(mart)])
    return known.said_of(about, settings, partial(compile_mart, mart, columns))


def compile_mart(mart: Mart, columns: Mapping[str, Mapping[str, str]], settings: Settings) -> Said:
    known = {name: ibis.schema(columns[name]) for name in _tables(mart)}
    return render(mart(**arguments(mart, known, settings)))


def _tables(mart: Mart) -> list[str]:
    return [name for name in inspect.signature(mart).parameters if name != "settings"]


def plan(settings: Settings) -> dict[str, ir.Table]:
    """Every mart as an expression over unbound tables named like its inputs, in order."""
    known = {name: ibis.schema(columns) for name, columns in input_columns(settings).items()}
    expressions: dict[str, ir.Table] = {}
    for mart in (SPEND_REDUCED, *MARTS):
        expression = mart(**arguments(mart, known, settings))
        known[mart.__name__] = expression.schema()
        expressions[mart.__name__] = expression
    return expressions


def arguments(
    mart: Mart, known: Mapping[str, sch.Schema], settings: Settings
) -> dict[str, ir.Table | Settings]:
    """The tables a mart's parameters name, unbound; and the settings where it asks for them."""
    return {
        name: settings if name == "settings" else ibis.table(known[name], name=name)
        for name in inspect.signature(mart).parameters
    }


def named(name: str, settings: Settings, dialect: str) -> str:
    """The SQL of a mart; `ConfigError` for a name that is none."""
    expressions = plan(settings)
    if name not in expressions:
        remedy = nearest(name, expressions)
        raise ConfigError("no number of this name", value=name, remedy=remedy)
    return sql(expressions[name], dialect)
