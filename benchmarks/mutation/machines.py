"""The division of shared machines, whose mutants show before the marts: in the reduction."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.mutation.texts import STEPS
from models.engine.allocations import division
from models.engine.context import BuildContext
from models.engine.sql import mart_sql
from models.engine.sql.sql_cache import CompiledSql
from models.engine.warehouse import connection
from models.marts import Mart, inputs_of
from tests.support.divided_machines import Machines, at, held, line


def is_step(module: str) -> bool:
    """Whether a module divides machines."""
    return module.startswith(STEPS)


@contextmanager
def compiled_anew() -> Iterator[None]:
    """Inside, what divides machines is compiled as the mutant has it, and not as it is known."""
    usual = division._compiled
    compiled: dict[str, CompiledSql] = {}

    def mutated(context: BuildContext, step: Mart, known: division.ColumnsOf) -> CompiledSql:
        columns = {read: known(read) for read in inputs_of(step) if read != "settings"}
        about = f"{step.__name__} {columns} {context.settings.clusters}"
        if about not in compiled:
            compiled[about] = mart_sql.compile_mart(step, columns, context.settings)
        return compiled[about]

    division._compiled = mutated
    try:
        yield
    finally:
        division._compiled = usual


def divide_one(folder: Path) -> None:
    """Divides an hour of a machine: fails where no build would take the mutant."""
    with connection.in_memory() as backend:
        jobs = held(at("01 10:00"), at("01 10:30"), run="a", accelerators=16)
        Machines(backend, folder).divide([line(at("01 10:00"), 1, "60")], jobs)
