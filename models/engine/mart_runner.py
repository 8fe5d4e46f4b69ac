"""Every mart from the reduction: each as soon as what it reads is there, two side by side.

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
from models.engine.sql.compiled_sql import Said
from models.engine.warehouse.connection import parsed
from models.marts import MARTS

logger = logging.getLogger(__name__)

VIEWS = ("attributed", "samples")
"""As many rows as what they read, almost all as they were: reading twice beats writing."""
ONLY_WITH = {
    "pod_shares": "FROM usage_types WHERE repeats LIMIT 1",
    "block_spend": "SELECT 1 FROM charge_kinds WHERE unpriced UNION ALL "
    "SELECT 1 FROM pod_shares UNION ALL SELECT 1 FROM block_fees LIMIT 1",
}
"""Marts on the way to `spend_daily` that are long to plan, and the rows without which they have
none: few bills have pods or Capacity Blocks."""
HELD = "progress"
"""A small view that many marts ask for: its rows are read once, into a table of the same name."""
LANES = 2
PATIENCE = 0.05
"""Seconds; an interrupt that comes before its query begins is forgotten, so it is repeated."""


class Step(NamedTuple):
    """What a build does between marts, in plain Python: which it reads, which tables it fills."""

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
    """One mart, or one step, and the names of what it reads."""

    run: Callable[[Backend], None]
    reads: frozenset[str]


def make_marts(
    context: BuildContext,
    kept: frozenset[str] = frozenset(),
    beside: Mapping[str, Task] | None = None,
) -> None:
    """Every mart but those `kept`, over the reduction and what was laid beside it.

    Tasks `beside` make further tables. The first failure is raised.
    """
    tasks = {**(beside or {}), **_tasks(context)}
    due = {name: task for name, task in tasks.items() if name not in kept}
    run(context.backend, most_urgent_first(due))


def most_urgent_first(tasks: Mapping[str, Task]) -> dict[str, Task]:
    """The tasks, those first after which the longest chain of others still has to be made.

    Tasks with chains of equal length keep their order.
    """
    order = TopologicalSorter({name: task.reads & tasks.keys() for name, task in tasks.items()})
    behind = dict.fromkeys(tasks, 0)
    for name in reversed([*order.static_order()]):
        for read in tasks[name].reads & tasks.keys():
            behind[read] = max(behind[read], behind[name] + 1)
    return dict(sorted(tasks.items(), key=lambda item: -behind[item[0]]))


def run(backend: Backend, tasks: Mapping[str, Task]) -> None:
    """Each task once what it reads is made; a failure or an interrupt stops those that run."""
    order = TopologicalSorter({name: task.reads & tasks.keys() for name, task in tasks.items()})
    order.prepare()
    running: dict[Future[None], tuple[str, Backend]] = {}
    with _lanes(backend) as lanes, ThreadPoolExecutor(LANES) as threads:
        try:
            _run(order, tasks, list(lanes), running, threads)
        except BaseException:
            while wait(running, timeout=PATIENCE).not_done:
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


def materialise(backend: Backend, name: str, text: str) -> None:
    """The mart's table anew, or its view."""
    logger.debug("building %s", name)
    made = "VIEW" if name in VIEWS else "TABLE"
    backend.con.execute(parsed(f'CREATE OR REPLACE {made} "{name}" AS {text}'))


def hold(backend: Backend) -> None:
    """Reads the rows of `HELD`; after `warehouse.set_apart`."""
    backend.con.execute(f"CREATE TABLE {HELD} AS FROM {HELD}")


def _make(backend: Backend, name: str, said: Said) -> None:
    needed = ONLY_WITH.get(name)
    if needed and not backend.con.execute(needed).fetchall():
        kinds = {column: DuckDBType.to_string(dt.dtype(k)) for column, k in said.columns.items()}
        told = ", ".join(f'"{column}" {kind}' for column, kind in kinds.items())
        backend.con.execute(f'CREATE OR REPLACE TABLE "{name}" ({told})')
    else:
        materialise(backend, name, said.text)


def _tasks(context: BuildContext) -> Mapping[str, Task]:
    """By name: each step (by the first table it fills), then the marts in order of dependence."""
    texts = mart_sql.texts(context.settings, context.compiled)
    steps = {step.fills[0]: Task(partial(_run_step, step, context), step.reads) for step in STEPS}
    marts = {
        mart.__name__: Task(
            partial(_make, name=mart.__name__, said=texts[mart.__name__]),
            frozenset(inspect.signature(mart).parameters),
        )
        for mart in MARTS
    }
    return {HELD: Task(hold, frozenset())} | steps | marts


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
