"""Traces a mart or one of its columns: every table between it and the delivered rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import ibis.expr.types as ir

from models.config.refusals.unknown_keys import nearest
from models.config.settings import Settings
from models.contract.errors import ConfigError
from models.engine.lineage.columns import ColumnTrace
from models.engine.lineage.origins import Origin, origins
from models.engine.lineage.tables import plan
from models.engine.sql import mart_sql


class Station(NamedTuple):
    """A table behind a number, its columns that matter, and the tables that it reads.

    `columns` are the columns of it that the number comes from; None where lineage was asked of the
    whole mart.
    """

    origin: Origin
    columns: tuple[str, ...] | None
    reads: tuple[str, ...]


class Lineage(NamedTuple):
    """All tables behind a mart or column, each after those that it reads."""

    name: str
    stations: dict[str, Station]

    def lines(self) -> list[str]:
        """Formats the lineage as lines of an indented tree of tables, the mart first."""
        last = list(self.stations)[-1]
        return list(self._drawn(last, "", "", set()))

    def document(self) -> dict[str, Any]:
        """Formats the lineage as a dictionary for JSON, inputs first."""
        steps = [
            {
                "name": station.origin.name,
                "kind": station.origin.kind,
                "file": station.origin.file,
                "meaning": station.origin.meaning,
                "method": station.origin.method or None,
                "columns": None if station.columns is None else list(station.columns),
                "reads": list(station.reads),
            }
            for station in self.stations.values()
        ]
        return {"name": self.name, "steps": steps}

    def _drawn(self, name: str, first: str, rest: str, drawn: set[str]) -> Iterator[str]:
        station = self.stations[name]
        if name in drawn:
            yield f"{first}{name} (above)"
            return
        drawn.add(name)
        columns = ", ".join(station.columns or ())
        yield f"{first}{name}{f': {columns}' if columns else ''}"
        below = "│  " if station.reads else "   "
        origin = station.origin
        method = f" (METHOD {origin.method})" if origin.method else ""
        yield f"{rest}{below}{origin.file}{method}"
        yield f"{rest}{below}{origin.meaning}"
        for read in station.reads:
            final = read == station.reads[-1]
            deeper = rest + ("   " if final else "│  ")
            yield from self._drawn(read, rest + ("└─ " if final else "├─ "), deeper, drawn)


def lineage(name: str, settings: Settings) -> Lineage:
    """Returns the tables behind a mart or `mart.column`, inputs first; `ConfigError` if unknown."""
    known = origins()
    table, dot, column = name.partition(".")
    if table not in known:
        raise ConfigError("no table of this name", value=table, remedy=nearest(table, known))
    reads = {origin.name: origin.reads for origin in known.values()}
    all_of_it = _stations(table, known, reads, None)
    if not dot:
        return Lineage(name, all_of_it)
    expressions = plan(settings, all_of_it)
    columns, reads = _columns(table, column, known, settings, expressions)
    return Lineage(name, _stations(table, known, reads, columns))


def _columns(
    table: str,
    column: str,
    known: dict[str, Origin],
    settings: Settings,
    expressions: Mapping[str, ir.Table],
) -> tuple[dict[str, set[str]], dict[str, tuple[str, ...]]]:
    """Maps tables to the columns behind a mart's column, and, as second result, to their inputs."""
    schemas = {name: list(columns) for name, columns in mart_sql.input_columns(settings).items()}
    schemas |= {name: list(expression.schema()) for name, expression in expressions.items()}
    if column not in schemas[table]:
        remedy = nearest(column, schemas[table])
        raise ConfigError(f"{table} has no column of this name", value=column, remedy=remedy)
    found: dict[str, set[str]] = {table: set()}
    traces: dict[str, ColumnTrace] = {}
    due = [(table, column)]
    while due:
        name, asked_column = due.pop()
        if asked_column in found.setdefault(name, set()):
            continue
        found[name].add(asked_column)
        if name in expressions:
            trace = traces.setdefault(name, ColumnTrace(expressions[name]))
            trace.add(asked_column)
            due += [(read, each) for read, columns in trace.inputs.items() for each in columns]
            for read in trace.inputs:
                found.setdefault(read, set())
        else:
            due += [(read, each) for read in known[name].reads for each in schemas[read]]
    reads = {name: known[name].reads for name in found}
    for name, trace in traces.items():
        reads[name] = tuple(read for read in known[name].reads if read in trace.inputs)
    return found, reads


def _stations(
    table: str,
    known: dict[str, Origin],
    reads: dict[str, tuple[str, ...]],
    columns: dict[str, set[str]] | None,
) -> dict[str, Station]:
    """Maps a table and all tables behind it to their columns and inputs, inputs first."""
    found: dict[str, Station] = {}

    def visit(name: str) -> None:
        if name not in found:
            for read in reads[name]:
                visit(read)
            used = None if columns is None else tuple(sorted(columns[name]))
            found[name] = Station(known[name], used, reads[name])

    visit(table)
    return found
