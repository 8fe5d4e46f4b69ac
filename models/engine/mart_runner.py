"""Computes every mart as soon as its inputs exist, two at a time.

A mart's parameters name its inputs, so what must wait for what needs no list of its own. Planning a
query takes one core, whatever it is about: beside another, both are busy. Where several could begin
the one with the longest chain of readers does; rows and their sums are the same in any order.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import partial
from graphlib import TopologicalSorter
from typing import NamedTuple

import ibis
from ibis.backends.duckdb import Backend

from models.engine.context import BuildContext
from models.engine.inputs import closed_months, forecasts, old_volumes
from models.engine.inputs.bills.block_fees import match_fees
from models.engine.inputs.lineages import trace_lineages
from models.engine.needed_rows import has_what_it_needs
from models.engine.sql import mart_sql
from models.engine.sql.dependencies import with_dependencies
from models.engine.sql.sql_cache import CompiledSql
from models.engine.warehouse.connection import on_threads, parsed, threads_of
from models.engine.warehouse.table_columns import create_empty
from models.marts import MARTS, inputs_of

logger = logging.getLogger(__name__)

VIEWS = ("attributed", "samples")
"""Marts that are views: they have as many rows as what they read, and writing those takes longer
than computing them twice."""
STORED_VIEW = "progress"
"""A small view that many marts ask for: its rows are read once, into a table of the same name."""
LANES = 2
INTERRUPT_EVERY = 0.05
"""Seconds; an interrupt that comes before its query begins is lost, so it is repeated."""


class PythonStep(NamedTuple):
    """A computation in Python between marts: the tables that it reads and those that it writes."""

    run: Callable[[BuildContext], None]
    reads: frozenset[str]
    fills: tuple[str, ...]


STEPS = (
    PythonStep(match_fees, frozenset({"attributed", "known_blocks"}), ("block_fees",)),
    PythonStep(trace_lineages, frozenset({"run_registry"}), ("lineages",)),
    PythonStep(old_volumes.fill_old_volumes, old_volumes.READS, old_volumes.FILLS),
    PythonStep(forecasts.fill_forecasts, forecasts.READS, forecasts.FILLS),
    PythonStep(closed_months.fill_adjustments, closed_months.READS, closed_months.FILLS),
)


FILLED = tuple(name for step in STEPS for name in step.fills)


class Task(NamedTuple):
    """A mart or Python step to compute, with the tables that it reads and those that it writes.

    A task with an empty `fills` makes the table of its own name.
    """

    run: Callable[[Backend], None]
    reads: frozenset[str]
    fills: tuple[str, ...] = ()


def make_marts(
    context: BuildContext,
    already_made: frozenset[str] = frozenset(),
    further: Mapping[str, Task] | None = None,
    only: Collection[str] | None = None,
) -> None:
    """Computes all marts of a build, or some and their inputs, except those already made.

    They are made from the reduction and the input tables. `further` tasks make tables that are no
    marts. With `only`, only these tables and what they are made from are computed. The first
    failure is raised.
    """
    tasks = {**(further or {}), **_tasks(context)}
    chosen = tasks.keys() if only is None else needed(tasks, only)
    due = {name: task for name, task in tasks.items() if name in chosen - already_made}
    run(context.backend, most_urgent_first(due))


def needed(tasks: Mapping[str, Task], tables: Collection[str]) -> frozenset[str]:
    """Returns the names of the tasks that make some tables and, recursively, their inputs."""
    makers = _makers(tasks)
    makes_them = {makers[table] for table in tables if table in makers}
    return with_dependencies(makes_them, _before(tasks))


def _makers(tasks: Mapping[str, Task]) -> dict[str, str]:
    """Maps each table that a task makes to the task's name."""
    return {table: name for name, task in tasks.items() for table in task.fills or (name,)}


def _before(tasks: Mapping[str, Task]) -> dict[str, set[str]]:
    """Maps each task to the tasks that make its inputs."""
    makers = _makers(tasks)
    return {
        name: {makers[read] for read in task.reads if read in makers}
        for name, task in tasks.items()
    }


def most_urgent_first(tasks: Mapping[str, Task]) -> dict[str, Task]:
    """Sorts tasks so that those with the longest chain of dependants come first.

    Tasks with chains of equal length keep their order.
    """
    before = _before(tasks)
    behind = dict.fromkeys(tasks, 0)
    for name in reversed([*TopologicalSorter(before).static_order()]):
        for other in before[name]:
            behind[other] = max(behind[other], behind[name] + 1)
    return dict(sorted(tasks.items(), key=lambda item: -behind[item[0]]))


def run(backend: Backend, tasks: Mapping[str, Task]) -> None:
    """Runs tasks, two at a time, once their inputs exist; a failure or an interrupt stops all."""
    order = TopologicalSorter(_before(tasks))
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
    """Creates or replaces the DuckDB table or view of a mart from its SQL."""
    logger.debug("building %s", name)
    made = "VIEW" if name in VIEWS else "TABLE"
    backend.con.execute(parsed(f'CREATE OR REPLACE {made} "{name}" AS {text}'))


def store_progress(backend: Backend) -> None:
    """Copies the rows of the view `progress` to a table of the same name in memory.

    It runs after `connection.derive_in_memory`.
    """
    backend.con.execute(f"CREATE TABLE {STORED_VIEW} AS FROM {STORED_VIEW}")


def _make(backend: Backend, name: str, compiled: CompiledSql) -> None:
    if not has_what_it_needs(backend, name):
        create_empty(backend, name, compiled.columns)
    else:
        create_mart(backend, name, compiled.text)


def _tasks(context: BuildContext) -> Mapping[str, Task]:
    """Returns a build's tasks by table name: copying `progress`, the Python steps, the marts.

    A step has the name of the first table that it fills.
    """
    context.texts_ready()
    texts = mart_sql.texts(context.settings, context.sql_cache)
    steps = {
        step.fills[0]: Task(partial(_run_step, step, context), step.reads, step.fills)
        for step in STEPS
    }
    marts = {
        mart.__name__: Task(
            partial(_make, name=mart.__name__, compiled=texts[mart.__name__]),
            frozenset(inputs_of(mart)),
        )
        for mart in MARTS
    }
    return {STORED_VIEW: Task(store_progress, frozenset())} | steps | marts


def _run_step(step: PythonStep, context: BuildContext, backend: Backend) -> None:
    step.run(context.on(backend))


@contextmanager
def _lanes(backend: Backend) -> Iterator[list[Backend]]:
    """Yields a connection to the build's database for each thread that computes marts.

    The connections are closed on leaving. Ibis sets them to UTC. Meanwhile DuckDB gets fewer
    threads: it counts only one of the lanes among its own, so that with the usual number more
    threads than cores would run, and small queries would take longest to divide.
    """
    ((path,),) = backend.con.execute("SELECT current_setting('search_path')").fetchall()
    cursors = [backend.con.cursor() for _ in range(LANES)]
    try:
        with on_threads(backend, max(1, threads_of(backend.con) - LANES + 1)):
            for cursor in cursors:
                cursor.execute("SET search_path = ?", [path])
            yield [ibis.duckdb.from_connection(cursor) for cursor in cursors]
    finally:
        for cursor in cursors:
            cursor.close()
