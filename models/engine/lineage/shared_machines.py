"""Ibis expressions of how machines are divided, to trace columns: SQL and Python do the work.

Each function names the columns that one table takes from which other ones. It is traced like a mart
and never run; the file beside it in `TABLES` computes the table. A test compares the columns.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.joins import left_join
from models.contract.schema import MONEY
from models.engine.allocations import division, held_intervals, held_jobs, tagged_lines
from models.engine.lineage import jobs
from models.engine.reduction import machine_lines
from models.marts import inputs_of
from models.marts.cost import shared_machines
from models.marts.cost.charges.spend_reduced import spend_reduced, with_machines
from models.marts.cost.shared_machines import SHARED_MACHINES

NOT_COMMON = {*division.OF_LINE, *machine_lines.COLUMNS}
"""Columns of a line of a machine in which many lines differ."""
ONLY_STORED = ("observed", "queued_at")
"""Columns of stored intervals by which nothing is divided."""


def _machine_lines(charges: ir.Table) -> ir.Table:
    """Stores the bill's lines of machines that jobs may share, by machine and charge period."""
    rows = with_machines(charges)
    return rows.filter(rows.machine.notnull())


def _tagged_lines(charges: ir.Table) -> ir.Table:
    """Stores shared machines' hours that have a run tag: weights to divide untagged charges."""
    return _machine_lines(charges)


def _pod_lines(charges: ir.Table) -> ir.Table:
    """Stores the bill's lines of container pods, by their instance and charge period."""
    return _machine_lines(charges)


def _held_intervals(allocations: ir.Table, progress: ir.Table, settings: Settings) -> ir.Table:
    """Stores from when to when each job held a machine on a UTC day, with its workload and run."""
    run_names = progress.select(told_run="run", told_workload="workload")
    rows = allocations.mutate(named=ibis.coalesce(allocations.run, allocations.job))
    rows = rows.left_join(run_names, rows.named == run_names.told_run)
    began, until = rows.held_from, ibis.coalesce(rows.held_to, rows.observed_at)
    own = ("cluster", "account", "region", "resource", "node", "instance_type", "accelerators")
    return rows.select(
        *own, "of", "cpus", "of_cpus", "share", "job", "reason", "queued_at",
        workload=ibis.coalesce(rows.workload, rows.told_workload), run=rows.named,
        date=began.date(), began=began, ended=until, observed=rows.observed_at,
        starts=began == began.truncate("D"), ends=rows.held_to.notnull(),
        **{f"tag_{key}": rows.labels for key in settings.tags.extra},
    )  # fmt: skip


def _machine_members(
    held_intervals: ir.Table, pod_lines: ir.Table, machine_lines: ir.Table
) -> ir.Table:
    """Lists each held machine with the cluster and owner of its latest job, and its first start."""
    tags = [name for name in held_intervals.columns if name.startswith("tag_")]
    names = ("resource", "cluster", "workload", "run", *tags)
    first = held_intervals.began.min().over(ibis.window(group_by="resource"))
    pods = {"resource": pod_lines.machine, "cluster": pod_lines.machine_cluster}
    jobs = held_intervals.select(*names, first_from=first)
    every = jobs.union(_filled(pod_lines, jobs, **pods))
    billed = machine_lines.select(resource="machine", billed_in="account")
    return left_join(every, billed, ["resource"])


def _due_lines(machine_lines: ir.Table) -> ir.Table:
    """Lists the machine lines of the days that are divided, numbered, with periods and costs."""
    number = ibis.row_number()
    lent = ibis.literal(value=False)
    return machine_lines.select(*division.OF_LINE, line=number, kind=number, lent=lent)


def _due_kinds(machine_lines: ir.Table) -> ir.Table:
    """Lists what many machine lines share, once each: account, usage type, tags and so on."""
    rest = [name for name in machine_lines.columns if name not in NOT_COMMON]
    return machine_lines.select(*rest, kind=ibis.row_number())


def _held_near(
    held_intervals: ir.Table, pod_lines: ir.Table, due_lines: ir.Table, due_kinds: ir.Table
) -> ir.Table:
    """Lists what held machines on the days that are divided: jobs, and the bill's pods."""
    run_names = held_intervals.drop(*ONLY_STORED)
    run_names = run_names.mutate(
        dollars=ibis.null(MONEY), of_bill=ibis.literal(value=False),
        pool_account=run_names.account, pool_region=run_names.region,
    )  # fmt: skip
    kinds = due_lines.join(due_kinds, "kind")
    kinds = kinds.select("machine", "date", billed_type=kinds.sku.concat(kinds.sku_instance_type))
    pods = pod_lines.join(kinds, ["machine", "date"])
    tags = {name: pods[name] for name in run_names.columns if name.startswith("tag_")}
    given = {
        "cluster": pods.machine_cluster,
        "resource": pods.machine,
        "date": pods.date,
        "instance_type": pods.billed_type,
        "workload": pods.workload,
        "run": pods.run,
        "began": pods.period_from,
        "ended": pods.period_to,
        "dollars": pods.pod_cost,
        "accelerators": pods.pod_accelerators,
        "share": pods.pod_share,
        **tags,
    }
    return run_names.union(_filled(pods, run_names, **given))


def _divided_lines(
    machine_lines: ir.Table, tagged_lines: ir.Table, pod_lines: ir.Table,
    held_intervals: ir.Table, machine_members: ir.Table, catalog: ir.Table,
    allocation_days: ir.Table, settings: Settings,
) -> ir.Table:  # fmt: skip
    """Divides each machine's charges of a day among the jobs that held it; the rest is idle."""
    given = (
        machine_lines, tagged_lines, pod_lines, held_intervals, machine_members, catalog,
        allocation_days,
    )  # fmt: skip
    return _steps(*given, settings)["divided"]


def _over_allocations(
    machine_lines: ir.Table, tagged_lines: ir.Table, pod_lines: ir.Table,
    held_intervals: ir.Table, machine_members: ir.Table, catalog: ir.Table,
    allocation_days: ir.Table, settings: Settings,
) -> ir.Table:  # fmt: skip
    """Lists the periods in which jobs held more of a machine or pool than it had."""
    given = (
        machine_lines, tagged_lines, pod_lines, held_intervals, machine_members, catalog,
        allocation_days,
    )  # fmt: skip
    made = _steps(*given, settings)
    over = (
        made["shares_of_periods"]
        .filter(made["shares_of_periods"].over > 0)
        .select("span", over_seconds="over")
    )
    days = made["unit_days"].select("unit_day", "unit", "day")
    rows = over.join(made["period_capacity"], "span").join(days, "unit_day")
    names = {"date": "day", "machine": "unit", "capacity_seconds": "capacity"}
    return rows.select("cluster", "period_from", "period_to", "over_seconds", **names)


def _steps(
    machine_lines: ir.Table, tagged_lines: ir.Table, pod_lines: ir.Table,
    held_intervals: ir.Table, machine_members: ir.Table, catalog: ir.Table,
    allocation_days: ir.Table, settings: Settings,
) -> dict[str, ir.Table]:  # fmt: skip
    """Maps each step of the division to its Ibis expression, built on those before it."""
    billed = machine_lines.union(tagged_lines.select(*machine_lines.columns)).view()
    lines, kinds = _due_lines(billed), _due_kinds(billed)
    named = held_intervals.select("cluster", "account")
    clusters = named.union(machine_members.select("cluster", account="billed_in"))
    made: dict[str, Any] = {
        "due_lines": lines,
        "due_kinds": kinds,
        "held_near": _held_near(held_intervals, pod_lines, lines, kinds),
        "members": machine_members,
        "held_clusters": clusters,
        "allocation_days": allocation_days,
        "catalog": catalog,
        "settings": settings,
    }
    for step in SHARED_MACHINES:  # as views: Ibis joins no table to one that is made from it
        made[step.__name__] = step(**{name: made[name] for name in inputs_of(step)}).view()
    return made


def _allocation_days(
    allocations: ir.Table, held_intervals: ir.Table, pod_lines: ir.Table
) -> ir.Table:
    """Lists the days of which each cluster's job allocations were delivered, and if in full."""
    run_names = allocations.select(
        "cluster", "account", "region", day=allocations.held_from.date(),
        complete=allocations.observed_at.notnull(),
    )  # fmt: skip
    seen = held_intervals.select(
        "cluster", "account", "region", day="date", complete=held_intervals.observed.notnull()
    )
    of_pods = {
        "cluster": pod_lines.machine_cluster,
        "account": pod_lines.account,
        "day": pod_lines.date,
    }
    return run_names.union(seen, _filled(pod_lines, run_names, **of_pods))


def counted_charges(charges: ir.Table, divided_lines: ir.Table) -> ir.Table:
    """Sums the delivered bill lines, and adds those of machines as divided among jobs."""
    summed = spend_reduced(charges)
    return summed.union(_filled(divided_lines, summed, **_columns(divided_lines)))


def _filled(rows: ir.Table, like: ir.Table, **given: ir.Value) -> ir.Table:
    """Returns a table's rows under the columns of another table; columns not given are null."""
    types = like.schema()
    return rows.select(
        **{
            name: given[name].cast(types[name]) if name in given else ibis.null(types[name])
            for name in like.columns
        }
    )


def _columns(rows: ir.Table) -> dict[str, ir.Value]:
    return {name: rows[name] for name in rows.columns}


TABLES: dict[str, tuple[Callable[..., ir.Table], ModuleType]] = {
    "machine_lines": (_machine_lines, machine_lines),
    "tagged_lines": (_tagged_lines, tagged_lines),
    "pod_lines": (_pod_lines, machine_lines),
    "held_intervals": (_held_intervals, held_intervals),
    "machine_members": (_machine_members, held_intervals),
    "divided_lines": (_divided_lines, shared_machines),
    "over_allocations": (_over_allocations, shared_machines),
    "held_jobs": (jobs.held_jobs, held_jobs),
    "held_times": (jobs.held_times, held_jobs),
    "allocation_days": (_allocation_days, held_intervals),
}
"""The tables on the way of a held hour: columns and meaning, and where each is computed."""
