"""Divides the lines of shared machines by the shares of their period: the parts are the line.

Every line of a machine and period is divided in one proportion, whatever it costs: usage, the part
that a plan covers, adjustments. An adjustment of a time in which the bill has no hours follows the
day. Volumes and traffic of a machine follow its owners of that day; on a day without one they are
the cluster's. Lines of a machine that no allocation is about stay as they were.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step
from models.contract.money import allocated
from models.contract.rules.allocation_flags import DAILY, OVER
from models.contract.schema import COST_COLUMNS
from models.marts.cost.shared_machines.owners import owner_columns
from models.marts.cost.shared_machines.periods import PERIOD
from models.marts.cost.shared_machines.shares import HELD, UNKNOWN

AMOUNTS = ("quantity", *COST_COLUMNS)
OF_LINE = ("line", "kind", *AMOUNTS, "first_hour", "last_hour")
OF_SHARE = ("cluster", "holding", "owner", "part", "over", "daily", "several")
OF_PART = (*OF_LINE, "cluster", "holding", "owner", "allocation_flags")
UNIT_DAY = ["unit", "day"]


@step(
    grain="line × cluster × holding × owner",
    units="dollars on the four bases; quantity in the unit of the SKU",
    nulls="cluster, holding: no allocation is about the machine; owner: nobody",
    method="§2.10.1, §2.10.5, §2.10.7",
    whose="run",
)
def parts(
    placed_lines: ir.Table,
    periods: ir.Table,
    shares: ir.Table,
    members: ir.Table,
    owners: ir.Table,
) -> ir.Table:
    """Returns the lines of machines, divided among the jobs that held them."""
    divisible = placed_lines.filter(placed_lines.of_unit.notnull() & ~placed_lines.whole)
    mine = _divided(divisible, periods, shares)
    jobs = _whole_jobs(placed_lines.filter(placed_lines.whole), members, owners)
    done = mine.select("line").union(jobs.select("line"))
    rest = placed_lines.anti_join(done, "line")
    untouched = rest.mutate(
        cluster=ibis.ifelse(rest.beside, rest.unit_cluster, None),
        **{name: ibis.null("string") for name in ("holding", "allocation_flags")},
        owner=ibis.null("int64"),
    )
    return ibis.union(*(rows.select(OF_PART) for rows in (mine, jobs, untouched)))


def _divided(lines: ir.Table, periods: ir.Table, shares: ir.Table) -> ir.Table:
    """Divides each line by the shares of its period, else of its unit's day."""
    spans = periods.select(*PERIOD, "span")
    found = lines.left_join(
        spans,
        [
            lines.of_unit == spans.unit,
            lines.day == spans.day,
            lines.period_from == spans.period_from,
            lines.period_to == spans.period_to,
        ],
    ).select(*OF_LINE, "day", "beside", "of_unit", "span")
    usage = found.filter(found.span.notnull()).join(shares.drop(*UNIT_DAY), "span")
    left = found.filter(found.span.isnull()).drop("span")
    owned = shares.filter(shares.holding.isin((HELD, UNKNOWN))).mutate(over=0.0, daily=False)
    columns = [*OF_LINE, *OF_SHARE]
    every = usage.select(columns).union(
        _by_day(left.filter(~left.beside), shares).select(columns),
        _by_day(left.filter(left.beside), owned).select(columns),
    )
    whole, cut = every.filter(~every.several), every.filter(every.several)
    order = ibis.window(group_by=["line"], order_by=["holding", "owner"])
    cut = cut.mutate(place=ibis.row_number().over(order))
    split = allocated(cut, AMOUNTS, weight="part", within=["line"], owner="place")
    both = whole.union(split.select(columns))
    return both.mutate(allocation_flags=_flags(both))


def _by_day(lines: ir.Table, shares: ir.Table) -> ir.Table:
    """Gives each line the shares of its unit's day: the sums of those of its periods."""
    sums = shares.group_by(*UNIT_DAY, "cluster", "holding", "owner").agg(
        part=shares.part.sum(), over=shares.over.max(), daily=shares.daily.any()
    )
    number = sums.part.count().over(ibis.window(group_by=UNIT_DAY))
    sums = sums.mutate(several=number > 1).rename(of_day="day")
    return lines.join(sums, [lines.of_unit == sums.unit, lines.day == sums.of_day])


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


def _whole_jobs(lines: ir.Table, members: ir.Table, owners: ir.Table) -> ir.Table:
    """Gives lines whose resource is a SageMaker job to that job, whatever their time."""
    names = owner_columns(owners)
    jobs = members.join(owners, [members[name].identical_to(owners[name]) for name in names])
    jobs = jobs.select("owner", "known", "cluster", job_="resource")
    rows = lines.join(jobs, lines.machine == jobs.job_)
    return rows.mutate(
        holding=ibis.ifelse(rows.known, HELD, UNKNOWN), allocation_flags=ibis.null("string")
    )
