"""Divides the machines of the bill among jobs by day; a day with the same inputs is not redone.

The rows of a divided day are stored with the mark of its inputs (`due_days`) as their delivery, so
all that follows the reduction treats it as a delivery of its own, and computes only what changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from functools import cache, partial

from models.contract.schema import COST_COLUMNS
from models.engine import contract_tables
from models.engine.allocations import (
    days_to_divide,
    due_days,
    held_intervals,
    held_jobs,
    tagged_lines,
)
from models.engine.allocations.days_to_divide import DAYS
from models.engine.allocations.due_days import DUE
from models.engine.allocations.held_near import held_near
from models.engine.context import BuildContext
from models.engine.reduction import machine_lines, reduced_lines
from models.engine.reduction.charges_reversed_by_refunds import EVERY
from models.engine.sql import mart_sql
from models.engine.sql.sql_cache import CompiledSql
from models.engine.warehouse.connection import on_threads, parsed, transaction
from models.engine.warehouse.table_columns import columns_of
from models.marts import Mart, inputs_of
from models.marts.cost.shared_machines import SHARED_MACHINES

STORE, OVER = "divided_lines", "divided_too_often"
"""Tables: parts of machines, and periods in which jobs held more of one than there was."""
OF_LINE = (
    *machine_lines.OF_MACHINE, "quantity", *COST_COLUMNS, "first_hour", "last_hour",
)  # fmt: skip
"""What a line has beside the columns that many lines have in common."""
ColumnsOf = Callable[[str], dict[str, str]]
"""Returns the columns of a table, asked for once: many steps read the same ones."""
LENT = "lent"
"""Whether a line only tells who held a machine, and is divided with the bill that has it."""
BillDay = tuple[str, date]
"""A bill, by the key of its delivery, and one of its days."""
MOST = 400_000
"""Lines of the bill that are divided at a time, to bound memory."""


def update(context: BuildContext) -> int:
    """Updates who held machines, and divides the charges of changed bill days; returns how many.

    It divides the days whose inputs changed, and forgets those of gone bills. Without allocations
    all rows of the reduced bill are as they were delivered. It runs on one thread: a batch is so
    small that on two it takes a fifth more of their time and ends hardly sooner.
    """
    con = context.backend.con
    if not machine_lines.exists(context.backend):
        con.execute(f"CREATE OR REPLACE VIEW {EVERY} AS {_BY_DAY}")
        return 0
    with on_threads(context.backend, 1):
        held_intervals.update(context)
        held_jobs.update(context)
        return divide_due_days(context)


def divide_due_days(context: BuildContext) -> int:
    """Divides machines' bill lines among jobs on days that changed; returns how many bill days."""
    con = context.backend.con
    contract_tables.fill_catalog(context.backend)
    columns = mart_sql.reduced_columns(context.settings, context.sql_cache)
    stored = reduced_lines.stored_keys(context.backend, STORE, columns)
    con.execute(_CLUSTERS)
    tagged_lines.update(context)
    due_days.mark_days(context)
    marks = {mark for (mark,) in con.execute(f"SELECT mark FROM {DUE}").fetchall()}
    con.execute(f"DELETE FROM {STORE} WHERE delivery IN (FROM unnest(?))", [[*stored - marks]])
    con.execute(_OVER)
    con.execute(f"DELETE FROM {OVER} WHERE delivery NOT IN (SELECT delivery FROM {STORE})")
    con.execute(f"DELETE FROM {DUE} WHERE mark IN (FROM unnest(?))", [[*stored & marks]])
    for days in _batches(context):
        _divide(context, days)
    con.execute(
        f"CREATE OR REPLACE TABLE over_allocations AS SELECT * EXCLUDE (delivery) FROM {OVER}"
    )
    both = f"{_BY_DAY} UNION ALL BY NAME FROM {STORE}"
    con.execute(f"CREATE OR REPLACE VIEW {EVERY} AS {both}")
    return len(marks - stored)


def _batches(context: BuildContext) -> Iterator[list[BillDay]]:
    """Yields the bill days to divide in batches: each a single day, or of at most `MOST` lines.

    No date is twice in a batch: machines are told apart by date, not by bill. So a day to which
    other days lend hours is a batch of its own.
    """
    query = f"SELECT delivery, date, lines FROM {DUE} WHERE {{}} ORDER BY ALL"
    for delivery, day, _ in context.backend.con.execute(query.format("long")).fetchall():
        yield [(delivery, day)]
    days: dict[date, str] = {}
    held = 0
    for delivery, day, lines in context.backend.con.execute(query.format("NOT long")).fetchall():
        if days and (day in days or held + lines > MOST):
            yield [(bill, day) for day, bill in days.items()]
            days, held = {}, 0
        days[day], held = delivery, held + lines
    if days:
        yield [(bill, day) for day, bill in days.items()]


def _divide(context: BuildContext, days: Sequence[BillDay]) -> None:
    """Divides the machine charges of some bill days among jobs, and stores the resulting lines."""
    *steps, divided = SHARED_MACHINES
    with divided_days(context, days, steps) as columns:
        parts = _compiled(context, divided, columns).text
        with transaction(context.backend.con):
            for text in (_STORED.format(divided=parts), _STORED_OVER):
                context.backend.con.execute(parsed(text))


@contextmanager
def divided_days(
    context: BuildContext, days: Sequence[BillDay], steps: Sequence[Mart]
) -> Iterator[ColumnsOf]:
    """Creates, for a `with` block, temporary tables that divide machines among jobs on given days.

    There is one for each step. They are made from `machine_lines`, `pod_lines`, `held_intervals`
    and `machine_members`, and from `held_clusters`: the clusters that have allocations, by account.
    Yields the columns of what they read.
    """
    con, columns = context.backend.con, cache(partial(_columns, context))
    days_to_divide.create(context.backend, days)
    for text in (*_due_lines(context), held_near(context)):
        con.execute(parsed(text))
    con.execute(f"CREATE OR REPLACE TEMP VIEW members AS FROM {held_intervals.MEMBERS}")
    for step in steps:
        text = _compiled(context, step, columns).text
        con.execute(parsed(f'CREATE OR REPLACE TEMP TABLE "{step.__name__}" AS {text}'))
    yield columns
    for name in (DAYS, "due_lines", "due_kinds", "held_near", *(step.__name__ for step in steps)):
        con.execute(f'DROP TABLE "{name}"')


def _due_lines(context: BuildContext) -> list[str]:
    """Returns SQL that creates two tables: the lines to divide, and what many of them share.

    Among them are the hours that other bills lend (`LENT`), and those with a run's tag.
    """
    reduced = mart_sql.reduced_columns(context.settings, context.sql_cache)
    common = ", ".join(f'"{name}"' for name in reduced if name not in OF_LINE)
    own = ", ".join(OF_LINE)
    line = ", ".join(f"{name} := {name}" for name in (*OF_LINE, LENT))
    return [
        "CREATE OR REPLACE TEMP TABLE due_groups AS "
        f"SELECT row_number() OVER () AS kind, {common}, list(struct_pack({line})) AS lines "
        f"FROM ({_HOURS}) GROUP BY {common}",
        "CREATE OR REPLACE TEMP TABLE due_lines AS SELECT row_number() OVER () AS line, kind, "
        f"{own}, {LENT} FROM (SELECT kind, unnest(lines, max_depth := 2) FROM due_groups)",
        f"CREATE OR REPLACE TEMP TABLE due_kinds AS SELECT kind, {common} FROM due_groups",
        "DROP TABLE due_groups",
    ]


def _compiled(context: BuildContext, step: Mart, known: ColumnsOf) -> CompiledSql:
    columns = {read: known(read) for read in inputs_of(step) if read != "settings"}
    about = ("shared machines", step.__name__, columns)
    make = partial(mart_sql.compile_mart, step, columns)
    return context.sql_cache.get_for_settings(about, context.settings, make)


def _columns(context: BuildContext, table: str) -> dict[str, str]:
    """Returns a table's columns; DuckDB's timestamps are of microseconds, which Ibis writes out."""
    found = columns_of(context.backend, table)
    return {name: kind.removesuffix("(6)") for name, kind in found.items()}


_BY_DAY = f"SELECT * EXCLUDE ({', '.join(machine_lines.COLUMNS)}) FROM {reduced_lines.STORE}"
_CLUSTERS = "CREATE OR REPLACE TEMP TABLE held_clusters AS " + held_intervals.clusters(
    f"SELECT cluster FROM {held_intervals.STORE}"
)
_OWN = f"{DUE} SEMI JOIN (FROM {DAYS} WHERE NOT {LENT}) USING (delivery, date)"
_HOURS = f"""
SELECT * FROM {machine_lines.STORE} JOIN {DAYS} USING (delivery, date)
WHERE NOT {LENT} OR {days_to_divide.USED}
UNION ALL BY NAME {tagged_lines.DUE}"""
_STORED = f"""
INSERT INTO {STORE} BY NAME SELECT d.mark AS delivery, d.source, p.*
FROM ({{divided}}) AS p
JOIN ({_OWN}) AS d ON d.date = p.date"""
_OVER = f"""
CREATE TABLE IF NOT EXISTS {OVER} (delivery VARCHAR, date DATE, cluster VARCHAR, machine VARCHAR,
  period_from TIMESTAMP, period_to TIMESTAMP, capacity_seconds DECIMAL(38, 9),
  over_seconds DECIMAL(38, 9))"""
_STORED_OVER = f"""
INSERT INTO {OVER}
WITH beyond AS (
  SELECT span, any_value(over) AS over FROM shares_of_periods WHERE over > 0 GROUP BY span),
periods AS (
  SELECT unit_day, cluster, capacity, length, over, unnest(starts) AS period_from
  FROM period_capacity JOIN beyond USING (span))
SELECT d.mark, d.date, p.cluster, u.unit, p.period_from, p.period_from + to_seconds(p.length),
  round(p.capacity, 3), round(p.over, 3)
FROM periods AS p
JOIN unit_days AS u USING (unit_day)
JOIN ({_OWN}) AS d ON d.date = u.day
SEMI JOIN (
  SELECT unit_day, l.period_from FROM line_periods AS l JOIN due_lines USING (line)
  WHERE used AND NOT {LENT}) AS l
  ON l.unit_day = p.unit_day AND l.period_from = p.period_from"""
