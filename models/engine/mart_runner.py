"""Makes every mart from the reduction: each as soon as what it reads is there, two at a time.

A mart's parameters name its inputs, so what must wait for what needs no list of its own. Planning a
query takes one core, whatever it is about: beside another, both are busy. Where several could begin
the one with the longest chain of readers does; rows and their sums are the same in any order.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import partial
from graphlib import TopologicalSorter
from typing import NamedTuple

import ibis
import ibis.expr.datatypes as dt
from ibis.backends.duckdb import Backend
from ibis.backends.sql.datatypes import DuckDBType

from models.engine.context import BuildContext
from models.engine.inputs import closed_months, forecasts
from models.engine.inputs.block_fees import match_fees
from models.engine.inputs.lineages import trace_lineages
from models.engine.sql import mart_sql
from models.engine.sql.sql_cache import CompiledSql
from models.engine.warehouse.connection import parsed
from models.marts import MARTS

logger = logging.getLogger(__name__)

VIEWS = ("attributed", "samples")
"""Marts that are views: they have as many rows as what they read, and writing those takes longer
than computing them twice."""
ONLY_WITH = {
    "pod_shares": "FROM usage_types WHERE of_pod LIMIT 1",
    "block_spend": "SELECT 1 FROM charge_kinds WHERE unpriced UNION ALL "
    "SELECT 1 FROM pod_shares UNION ALL SELECT 1 FROM block_fees LIMIT 1",
}
"""Marts on the way to `spend_daily` that are long to plan, and the rows without which they have
none: few bills have pods or Capacity Blocks."""
STORED_VIEW = "progress"
"""A small view that many marts ask for: its rows are read once, into a table of the same name."""
LANES = 2
INTERRUPT_EVERY = 0.05
"""Seconds; an interrupt that comes before its query begins is lost, so it is repeated."""


class Step(NamedTuple):
    """A computation in Python between marts: the tables that it reads and those that it fills."""

    run: Callable[[BuildContext], None]
    reads: frozenset[str]
    fills: tuple[str, ...]


STEPS = (
    Step(match_fees, frozenset({"attributed", "known_blocks"}), ("block_fees",)),
    Step(trace_lineages, frozenset({"run_registry"}), ("lineages",)),
    Step(forecasts.fill_forecasts, forecasts.READS, forecasts.FILLS),
    Step(closed_months.fill_adjustments, closed_months.READS, closed_months.FILLS),
)


FILLED = tuple(name for step in STEPS for name in step.fills)


class Task(NamedTuple):
    """One mart or one step to be made, and the names of the tables that it reads."""

    run: Callable[[Backend], None]
    reads: frozenset[str]


def make_marts(
    context: BuildContext,
    already_made: frozenset[str] = frozenset(),
    further: Mapping[str, Task] | None = None,
) -> None:
    """Makes every mart over the reduction and the input tables, but those `already_made`.

    `further` tasks make tables that are no marts. The first failure is raised.
    """
    tasks = {**(further or {}), **_tasks(context)}
    due = {name: task for name, task in tasks.items() if name not in already_made}
    run(context.backend, most_urgent_first(due))


def most_urgent_first(tasks: Mapping[str, Task]) -> dict[str, Task]:
    """Sorts tasks so that those with the longest chain of readers still to be made come first.

    Tasks with chains of equal length keep their order.
    """
    order = TopologicalSorter({name: task.reads & tasks.keys() for name, task in tasks.items()})
    behind = dict.fromkeys(tasks, 0)
    for name in reversed([*order.static_order()]):
        for read in tasks[name].reads & tasks.keys():
            behind[read] = max(behind[read], behind[name] + 1)
    return dict(sorted(tasks.items(), key=lambda item: -behind[item[0]]))


def run(backend: Backend, tasks: Mapping[str, Task]) -> None:
    """Runs each task as soon as what it reads is made; a failure or an interrupt stops all."""
    order = TopologicalSorter({name: task.reads & tasks.keys() for name, task in tasks.items()})
    order.prepare()
    running: dict[Future[None], tuple[str, Backend]] = {}
    with _lanes(backend) as lanes, ThreadPoolExecutor(LANES) as threads:
        try:
            _run(order, tasks, list(lanes), running, threads)
        except BaseException:
            while wait(running, timeout=INTERRUPT_EVERY).not_done:
                for lane in lanes:
                    lane.con.interrupt()
            raise


def _run(
    order: TopologicalSorter[str],
    tasks: Mapping[str, Task],
    free: list[Backend],
    running: dict[Future[None], tuple[str, Backend]],
    threads: Executor,
) -> None:
    ready: set[str] = set()
    while order.is_active():
        ready.update(order.get_ready())
        for name in [name for name in tasks if name in ready][: len(free)]:
            ready.remove(name)
            lane = free.pop()
            running[threads.submit(tasks[name].run, lane)] = name, lane
        for done in wait(running, return_when=FIRST_COMPLETED).done:
            name, lane = running.pop(done)
            done.result()
            free.append(lane)
            order.done(name)


def create_mart(backend: Backend, name: str, text: str) -> None:
    """Creates or replaces the table of a mart, or its view."""
    logger.debug("building %s", name)
    made = "VIEW" if name in VIEWS else "TABLE"
    backend.con.execute(parsed(f'CREATE OR REPLACE {made} "{name}" AS {text}'))


def store_progress(backend: Backend) -> None:
    """Stores the rows of the view `progress` in memory; after `connection.derive_in_memory`."""
    backend.con.execute(f"CREATE TABLE {STORED_VIEW} AS FROM {STORED_VIEW}")


def _make(backend: Backend, name: str, compiled: CompiledSql) -> None:
    needed = ONLY_WITH.get(name)
    if needed and not backend.con.execute(needed).fetchall():
        kinds = {
            column: DuckDBType.to_string(dt.dtype(k)) for column, k in compiled.columns.items()
        }
        columns = ", ".join(f'"{column}" {kind}' for column, kind in kinds.items())
        backend.con.execute(f'CREATE OR REPLACE TABLE "{name}" ({columns})')
    else:
        create_mart(backend, name, compiled.text)


def _tasks(context: BuildContext) -> Mapping[str, Task]:
    """By name: each step (by the first table it fills), then the marts in order of dependence."""
    texts = mart_sql.texts(context.settings, context.sql_cache)
    steps = {step.fills[0]: Task(partial(_run_step, step, context), step.reads) for step in STEPS}
    marts = {
        mart.__name__: Task(
            partial(_make, name=mart.__name__, compiled=texts[mart.__name__]),
            frozenset(inspect.signature(mart).parameters),
        )
        for mart in MARTS
    }
    return {STORED_VIEW: Task(store_progress, frozenset())} | steps | marts


def _run_step(step: Step, context: BuildContext, backend: Backend) -> None:
    step.run(context.on(backend))


@contextmanager
def _lanes(backend: Backend) -> Iterator[list[Backend]]:
    """Connections to the same database, each for one thread at a time; Ibis sets them to UTC.

    Each lane's own thread works, and DuckDB counts one of them: with a thread more for each other
    lane there would be more than cores, and small queries take longest to divide.
    """
    asked = "SELECT current_setting('search_path'), current_setting('threads')"
    ((path, cores),) = backend.con.execute(asked).fetchall()
    cursors = [backend.con.cursor() for _ in range(LANES)]
    backend.con.execute(f"SET threads = {max(1, cores - LANES + 1)}")
    try:
        for cursor in cursors:
            cursor.execute("SET search_path = ?", [path])
        yield [ibis.duckdb.from_connection(cursor) for cursor in cursors]
    finally:
        for cursor in cursors:
            cursor.close()
        backend.con.execute(f"SET threads = {cores}")
