"""Compiles the SQL of every mart from the declared columns of its inputs."""

from __future__ import annotations

from collections.abc import Container, Mapping
from functools import partial

import ibis
import ibis.expr.schema as sch
import ibis.expr.types as ir

from models.config.refusals.unknown_keys import nearest
from models.config.settings import Settings
from models.contract import schema
from models.contract.errors import ConfigError
from models.engine.sql.dependencies import with_dependencies
from models.engine.sql.rendering import render, sql
from models.engine.sql.sql_cache import CompiledSql, SqlCache
from models.marts import MARTS, SPEND_REDUCED, Mart, inputs_of

Columns = Mapping[str, str]
"""The name and type of each column of a table."""


def input_columns(settings: Settings) -> dict[str, Columns]:
    """Maps each table that marts read but do not compute to its columns and their types."""
    fixed = {**schema.CONFIG, **schema.BESIDE, **schema.DELIVERED}
    return fixed | {"charges": schema.expanded(schema.CHARGES, settings.tags.extra)}


def texts(settings: Settings, cache: SqlCache) -> dict[str, CompiledSql]:
    """Maps each mart, and `spend_reduced`, to its DuckDB SQL and columns, cached or compiled."""
    columns = input_columns(settings)
    compiled: dict[str, CompiledSql] = {}
    for mart in (SPEND_REDUCED, *MARTS):
        compiled[mart.__name__] = _cached(mart, columns, settings, cache)
        columns[mart.__name__] = compiled[mart.__name__].columns
    return compiled


def reduced_columns(settings: Settings, cache: SqlCache) -> Columns:
    """Returns the names and types of the columns of `spend_reduced`, the summed bill."""
    return _cached(SPEND_REDUCED, input_columns(settings), settings, cache).columns


def is_compiled(settings: Settings, cache: SqlCache) -> bool:
    """Whether the SQL cache is filled for this version, judged by the SQL of `spend_reduced`."""
    return cache.knows(_about(SPEND_REDUCED, input_columns(settings)))


def _cached(
    mart: Mart, columns: Mapping[str, Columns], settings: Settings, cache: SqlCache
) -> CompiledSql:
    about = _about(mart, columns)
    return cache.get_for_settings(about, settings, partial(compile_mart, mart, columns))


def _about(mart: Mart, columns: Mapping[str, Columns]) -> tuple[object, ...]:
    return "mart", mart.__name__, [columns[name] for name in _tables(mart)]


def compile_mart(mart: Mart, columns: Mapping[str, Columns], settings: Settings) -> CompiledSql:
    """Compiles one mart's DuckDB SQL, with its columns, over tables of given columns, uncached."""
    schemas = {name: ibis.schema(columns[name]) for name in _tables(mart)}
    return render(mart(**arguments(mart, schemas, settings)))


def _tables(mart: Mart) -> list[str]:
    return [name for name in inputs_of(mart) if name != "settings"]


def plan(settings: Settings, names: Container[str] | None = None) -> dict[str, ir.Table]:
    """Builds the Ibis expressions of all or some marts, inputs first.

    With `names`, builds only those marts; whatever each of them reads must be among them.
    """
    schemas = {name: ibis.schema(columns) for name, columns in input_columns(settings).items()}
    expressions: dict[str, ir.Table] = {}
    for mart in (SPEND_REDUCED, *MARTS):
        if names is None or mart.__name__ in names:
            expression = mart(**arguments(mart, schemas, settings))
            schemas[mart.__name__] = expression.schema()
            expressions[mart.__name__] = expression
    return expressions


def arguments(
    mart: Mart, schemas: Mapping[str, sch.Schema], settings: Settings
) -> dict[str, ir.Table | Settings]:
    """Maps each argument of a mart's function to an unbound input table, or to the settings."""
    return {
        name: settings if name == "settings" else ibis.table(schemas[name], name=name)
        for name in inputs_of(mart)
    }


def sql_of_mart(name: str, settings: Settings, dialect: str) -> str:
    """Compiles a mart's SQL in one dialect; `ConfigError` if there is no such mart."""
    known = {mart.__name__: mart for mart in (SPEND_REDUCED, *MARTS)}
    if name not in known:
        mart = name.partition(".")[0]
        whole = f"SQL is of whole marts: breakeven sql {mart}"
        remedy = whole if mart in known else nearest(name, known)
        raise ConfigError("no table of this name", value=name, remedy=remedy)
    reads = {mart: _tables(function) for mart, function in known.items()}
    return sql(plan(settings, with_dependencies([name], reads))[name], dialect)
