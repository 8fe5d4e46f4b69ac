"""Machines of a bill and who held them, divided in memory as a build divides them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime, timedelta
from decimal import Decimal
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyarrow as pa
from ibis.backends.duckdb import Backend

from models.config.loading import validated_settings
from models.engine import contract_tables
from models.engine.allocations import division, held_intervals
from models.engine.context import BuildContext
from models.engine.reduction import machine_lines, reduced_lines
from models.engine.sql import mart_sql
from models.engine.warehouse.table_columns import create_empty

Row = dict[str, Any]
DAY = timedelta(days=1)
COSTS = ("list_cost", "contracted_cost", "effective_cost", "billed_cost")


def at(text: str) -> datetime:
    """A time of September 2025, such as `01 10:30`."""
    return datetime.fromisoformat(f"2025-09-{text.replace(' ', 'T')}:00")


def line(since: datetime, hours: object, cost: object, **columns: object) -> Row:
    """A line of one machine's period, an hour unless `until` says otherwise; i-1 by default."""
    until = columns.pop("until", since + timedelta(hours=1))
    amounts = dict.fromkeys(COSTS, Decimal(str(cost)))
    about: Row = {
        "source": "focus",
        "billing_account": "1",
        "account": "1",
        "billing_period": date(since.year, since.month, 1),
        "date": since.date(),
        "region": "us-east-1",
        "sku": "BoxUsage:trn1.32xlarge",
        "unit": "Hours",
        "category": "Usage",
        "machine": "i-1",
        "period_from": since,
        "period_to": until,
        "quantity": Decimal(str(hours)),
        "named": False,
        "invoiced": False,
        "free": False,
    }
    return about | amounts | columns


def held(since: datetime, until: datetime, **columns: object) -> list[Row]:
    """An interval of machine i-1 of cluster `hpc`, cut to its days as deliveries are."""
    about: Row = {
        "cluster": "hpc",
        "resource": "i-1",
        "instance_type": "trn1.32xlarge",
        "reason": "run",
        "workload": "atlas-7b",
        **columns,
    }
    rows, day = [], datetime(since.year, since.month, since.day)  # noqa: DTZ001 - UTC
    while day < until:
        cut = {"began": max(since, day), "ended": min(until, day + DAY)}
        ends = {"starts": since >= day, "ends": until <= day + DAY}
        rows.append(about | cut | ends | {"mark": f"{day:%d}", "date": day.date()})
        day += DAY
    return rows


class Machines:
    """A warehouse in memory that holds lines of machines and intervals, and divides them."""

    def __init__(self, backend: Backend, folder: Path, **config: object) -> None:
        self.settings = validated_settings(config, home=folder)
        self.context = BuildContext.reading(self.settings, backend)
        self.con = backend.con
        self._billed: list[Row] = []
        reduced = mart_sql.reduced_columns(self.settings, self.context.sql_cache)
        ours = {"delivery": "string", "source": "string"}
        for table in (machine_lines.STORE, machine_lines.PODS, reduced_lines.STORE):
            create_empty(backend, table, {**ours, **reduced, **machine_lines.COLUMNS})
        held_intervals.create(self.context)
        contract_tables.fill(backend, "allocation_days", [])

    def divide(self, lines: Iterable[Row], intervals: Iterable[Row]) -> int:
        """Replaces all lines and intervals; returns how many days were divided anew.

        Lines are of one bill, unless they name their `delivery`.
        """
        self.fill(lines, intervals)
        return division.divide_due_days(self.context)

    def fill(self, lines: Iterable[Row], intervals: Iterable[Row]) -> None:
        """Replaces all lines and intervals, and divides nothing."""
        rows = [*lines]
        if rows != self._billed:
            bill = sha256(repr(sorted(map(repr, rows))).encode()).hexdigest()
            self._fill(machine_lines.STORE, [{"delivery": bill} | row for row in rows])
            self._billed = [dict(row) for row in rows]
        self._fill(held_intervals.STORE, intervals)
        held_intervals.list_members(self.context)

    def fill_pods(self, pods: Iterable[Row]) -> None:
        """Replaces the lines of pods."""
        self._fill(machine_lines.PODS, [row | {"delivery": "pods"} for row in pods])
        held_intervals.list_members(self.context)

    def rows(self, sql: str = "FROM divided_lines") -> list[Row]:
        """Rows of a query, in a fixed order."""
        found = self.con.execute(f"SELECT * FROM ({sql}) ORDER BY ALL")
        names = [column[0] for column in found.description or ()]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]

    def costs(self, *columns: str, where: str = "true") -> dict[Any, Decimal]:
        """Effective cost by run (of nobody's parts by `holding`), or by other columns."""
        key = ", ".join(columns) or "coalesce(run, holding)"
        amounts = "sum(effective_cost) AS cost FROM divided_lines"
        query = f"SELECT {key}, {amounts} WHERE {where} GROUP BY ALL"
        found = [tuple(row.values()) for row in self.rows(query)]
        return {row[0] if len(row) == 2 else row[:-1]: row[-1] for row in found}

    def _fill(self, table: str, rows: Iterable[Mapping[str, Any]]) -> None:
        self.con.execute(f"DELETE FROM {table}")
        given = list(rows)
        if not given:
            return
        names = list(dict.fromkeys(name for row in given for name in row))
        columns = {name: [row.get(name) for row in given] for name in names}
        self.con.register("given_rows", pa.table(columns))
        self.con.execute(f"INSERT INTO {table} BY NAME FROM given_rows")
        self.con.unregister("given_rows")


Case = tuple[list[Row], list[Row]]
"""Lines, and jobs."""
CaseKey = tuple[Any, ...]
"""The function that tells a case, and what it is given."""


class Cases:
    """Cases that are divided at once: each has machines, clusters and a region of its own."""

    def __init__(self, machines: Machines, keys: Iterable[CaseKey]) -> None:
        self._machines, self._names = machines, {}
        lines: list[Row] = []
        jobs: list[Row] = []
        for number, key in enumerate(keys):
            name = self._names[repr(key)] = f" of {number}"
            case, *given = key
            of_case, jobs_of_case = case(*given)
            lines += [_named(row, name) | {"region": name} for row in of_case]
            jobs += [_named(row, name) for row in jobs_of_case]
        machines.divide(lines, jobs)

    def costs(self, key: CaseKey | Callable[..., Case], *columns: str) -> dict[Any, Decimal]:
        """Of a case, as `Machines.costs` has them of all."""
        name = self._names[repr(key if isinstance(key, tuple) else (key,))]
        return {
            tuple(_without(name, cell) for cell in found) if columns[1:] else found: cost
            for found, cost in self._machines.costs(*columns, where=f"region = '{name}'").items()
        }


def _named(row: Row, name: str) -> Row:
    """A row whose machine and cluster are those of its case; "" and None stay."""
    places = ("machine", "machine_cluster", "resource", "cluster", "corrects")
    return row | {place: row[place] + name for place in places if row.get(place)}


def _without(name: str, cell: Any) -> Any:  # noqa: ANN401 - of any column
    return cell.removesuffix(name) if isinstance(cell, str) else cell
