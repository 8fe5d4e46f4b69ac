"""Numbers the owners (cluster, workload, run, tags) that parts of shared machines may have."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step
from models.contract.joins import same_keys
from models.marts.cost.shared_machines.lines.machine_or_pool import ARN

OWNERS = ("cluster", "workload", "run")
"""Say whose a part is, beside extra tags."""


@step(
    grain="cluster × workload × run × extra tags of jobs",
    units="none",
    nulls="workload, run: a job of an unknown owner",
    method="§2.10.6",
    whose="run",
)
def owner_numbers(held_near: ir.Table, members: ir.Table, due_kinds: ir.Table) -> ir.Table:
    """Numbers the owners (cluster, workload, run, tags) of jobs near the days that are divided.

    Among them are runs that a machine's hours bear as a tag.

    What follows divides lines by these numbers, and not by texts, of which each line had several.
    """
    names = owner_columns(held_near)
    jobs = members.filter(members.resource.startswith(ARN))
    tagged = due_kinds.filter(due_kinds.run.notnull())
    every = held_near.select(names).union(jobs.select(names), tagged.select(names)).distinct()
    order = ibis.window(order_by=[every[name] for name in names])
    known = ibis.coalesce(every.workload, every.run).notnull()
    return every.mutate(owner=ibis.row_number().over(order), known=known)


def owners_of(rows: ir.Table, owner_numbers: ir.Table) -> ir.Table:
    """Maps each row's group of like bill lines (`kind`) to the number of its owner."""
    names = owner_columns(owner_numbers)
    numbers = owner_numbers.select("owner", **{f"{name}_of": owner_numbers[name] for name in names})
    return rows.join(numbers, same_keys(rows, numbers, names, "_of")).select("kind", "owner")


def owner_columns(rows: ir.Table) -> list[str]:
    """Lists the columns that name a job's owner, in order: cluster, workload, run, tags."""
    tags = sorted(name for name in rows.columns if name.startswith("tag_"))
    return [*OWNERS, *tags]
