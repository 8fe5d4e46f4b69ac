"""Divides the lines of shared machines by the shares of their period: the parts are the line.

Every line of a machine and period is divided in one proportion, whatever it costs: usage, the part
that a plan covers, adjustments. An adjustment of a time in which the bill has no hours follows the
day. Lines of a machine that no allocation is about stay as they were.
"""

from __future__ import annotations

from collections.abc import Mapping

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step
from models.contract.money import allocated, known_sum
from models.contract.rules.allocation_flags import DAILY, OVER
from models.contract.schema import COST_COLUMNS, MONEY
from models.marts.cost.shared_machines.periods import PERIOD
from models.marts.cost.shared_machines.pieces import OWNERS
from models.marts.cost.shared_machines.shares import HELD, UNKNOWN

AMOUNTS = ("quantity", *COST_COLUMNS)
KNOWN = ("quantity", "list_cost", "contracted_cost")
"""Amounts of which a sum is null as soon as one of them is."""
UNIT = "of_unit"
OF_MACHINE = (
    "line", "machine", "machine_cluster", "period_from", "period_to", "hours", "type_", "day", UNIT,
    "unit_cluster", "whole",
)  # fmt: skip
"""Columns of a line that rows of `spend_reduced` lack."""


@step(
    grain="that of spend_reduced, of lines of shared machines, × cluster × holding",
    units="dollars on the four bases; quantity in the unit of the SKU",
    nulls="cluster, holding: no allocation is about the machine; else as spend_reduced",
    method="§2.10.1, §2.10.5",
    whose="run",
)
def divided(placed_lines: ir.Table, shares: ir.Table, members: ir.Table) -> ir.Table:
    """Returns the lines of machines as rows of the reduced bill, by the jobs that held them."""
    owner = [name for name in shares.columns if name in OWNERS[1:] or name.startswith("tag_")]
    lines = placed_lines.rename(**{f"{name}_billed": name for name in owner}).drop("cluster")
    lines = lines.drop("holding", "allocation_flags")
    parts = _parts(lines, shares, owner)
    jobs = _whole_jobs(lines.filter(lines.whole), members, owner)
    rest = lines.filter(~lines.whole).anti_join(parts, "line")
    untouched = rest.mutate(
        cluster=ibis.null("string"), holding=ibis.null("string"),
        allocation_flags=ibis.null("string"),
        **{name: rest[f"{name}_billed"] for name in owner},
    )  # fmt: skip
    columns = [name for name in placed_lines.columns if name not in OF_MACHINE]
    owned = (_with_owner_found(table).select(columns) for table in (parts, jobs))
    every = ibis.union(*owned, untouched.select(columns))
    return _summed(every, columns)


def _with_owner_found(rows: ir.Table) -> ir.Table:
    """Marks corrections of a machine as done: their owners are known, nobody need look for them."""
    return rows.mutate(
        corrects=ibis.null("string"),
        **{n: ibis.ifelse(rows.corrects.isnull(), rows[n], None) for n in ("used_from", "used_to")},
    )


def _parts(lines: ir.Table, shares: ir.Table, owner: list[str]) -> ir.Table:
    """Divides each line by the shares of its period, else of its unit's day."""
    usage = _matched(lines, shares, PERIOD)
    left = lines.filter(lines[UNIT].notnull() & ~lines.whole).anti_join(usage, "line")
    keys = ["unit", "day"]
    rest = [n for n in shares.columns if n not in (*PERIOD, "part", "over", "daily")]
    by_day = shares.group_by(*keys, *rest).agg(
        part=shares.part.sum(), over=shares.over.max(), daily=shares.daily.any()
    )
    of_day = _matched(left, by_day, keys)
    every = usage.union(of_day.select(usage.columns))
    several = every.part.count().over(ibis.window(group_by=["line"])) > 1
    every = every.mutate(several=several)
    whole = every.filter(~every.several)
    cut = every.filter(every.several)
    order = ibis.window(group_by=["line"], order_by=["holding", "cluster_of", *owner])
    cut = cut.mutate(place=ibis.row_number().over(order))
    split = allocated(cut, AMOUNTS, weight="part", within=["line"], owner="place").drop("place")
    both = whole.union(split.select(whole.columns))
    held = both.holding.isin((HELD, UNKNOWN))
    return both.mutate(
        cluster="cluster_of",
        allocation_flags=_flags(both),
        **{
            name: both[name]
            if name in OWNERS
            else ibis.ifelse(
                held, ibis.coalesce(both[name], both[f"{name}_billed"]), both[f"{name}_billed"]
            )
            for name in owner
        },
    ).drop("several")


def _matched(lines: ir.Table, shares: ir.Table, keys: tuple[str, ...] | list[str]) -> ir.Table:
    named = shares.rename(cluster_of="cluster", **{f"{name}_of": name for name in keys})
    names = {"unit": UNIT}
    on = [lines[names.get(name, name)] == named[f"{name}_of"] for name in keys]
    joined = lines.join(named, on)
    return joined.select(
        *lines.columns, "cluster_of", "holding", "part", "over", "daily",
        *(name for name in shares.columns if name in OWNERS[1:] or name.startswith("tag_")),
    )  # fmt: skip


def _flags(rows: ir.Table) -> ir.Value:
    held = rows.holding.isin((HELD, UNKNOWN))
    both = (rows.over > 0) & rows.daily
    return ibis.cases(
        (~held, None),
        (both, f"{DAILY},{OVER}"),
        (rows.over > 0, OVER),
        (rows.daily, DAILY),
        else_=None,
    )


def _whole_jobs(lines: ir.Table, members: ir.Table, owner: list[str]) -> ir.Table:
    """Gives lines whose resource is a SageMaker job to that job, whatever their time."""
    jobs = members.select(
        job_="resource", cluster_="cluster", **{f"{name}_of": members[name] for name in owner}
    )
    rows = lines.join(jobs, lines.machine == jobs.job_)
    known = ibis.coalesce(*(rows[f"{name}_of"] for name in OWNERS[1:])).notnull()
    return rows.mutate(
        cluster="cluster_",
        holding=ibis.ifelse(known, HELD, UNKNOWN),
        allocation_flags=ibis.null("string"),
        **{
            name: rows[f"{name}_of"]
            if name in OWNERS
            else ibis.coalesce(rows[f"{name}_of"], rows[f"{name}_billed"])
            for name in owner
        },
    )


def _summed(rows: ir.Table, columns: list[str]) -> ir.Table:
    """Sums parts of a day that are alike, as `spend_reduced` sums lines."""
    measures = (*AMOUNTS, "first_hour", "last_hour")
    keys = [name for name in columns if name not in measures]
    sums: Mapping[str, ir.Value] = {
        **{name: known_sum(rows[name]) for name in KNOWN},
        "effective_cost": rows.effective_cost.sum().cast(MONEY),
        "billed_cost": rows.billed_cost.sum().cast(MONEY),
        "first_hour": rows.first_hour.min(),
        "last_hour": rows.last_hour.max(),
    }
    return rows.group_by(keys).agg(**sums)
