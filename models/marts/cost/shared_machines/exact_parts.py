"""Divides bill lines of shared machines by who held these in each period; nothing is lost.

Every line of a machine and period is divided in one proportion, whatever it costs: usage, the part
that a plan covers, adjustments. An adjustment of a time that is no period of the bill follows the
hours that lie in it, else the day. Volumes and traffic of a machine follow its owners of that day;
on a day without one they are the cluster's. Lines of a machine that no allocation is about stay as
they were. Parts add up to their line: the largest takes the residue, as in `contract.money`.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step
from models.contract.joins import left_join
from models.contract.money import PLACES, money
from models.contract.rules.allocation_flags import DAILY, OVER
from models.marts.cost.attribution_buckets import UNDELIVERED
from models.marts.cost.shared_machines.lines.cut_lines import AMOUNTS, OF_LINE
from models.marts.cost.shared_machines.owner_numbers import owner_columns
from models.marts.cost.shared_machines.owners_of_volumes_and_corrections import OWNED
from models.marts.cost.shared_machines.shares.shares_of_periods import HELD, UNKNOWN

OF_CUT = ("cut", "times", *OF_LINE)
OF_SHARE = ("holding", "owner", "over", "daily", "fraction", "largest")
OF_PART = ("cluster", "holding", "owner", "allocation_flags")


@step(
    grain="line × span × cluster × holding × owner",
    units="dollars on the four bases; quantity in the unit of the SKU",
    nulls="cluster, holding: no allocation is about the machine; owner: nobody",
    method="§2.10.1, §2.10.5, §2.10.7",
    whose="run",
)
def exact_parts(
    cut_lines: ir.Table,
    shares_of_periods: ir.Table,
    owners_of_a_time: ir.Table,
    members: ir.Table,
    owner_numbers: ir.Table,
) -> ir.Table:
    """Divides the bill lines of shared machines into parts of jobs that held them and idle parts.

    A line of a machine that no allocation is about stays whole. Periods of a line that are divided
    alike are divided once; the parts count `times` over.
    """
    mine = _divided(cut_lines.filter(~cut_lines.whole), shares_of_periods, owners_of_a_time)
    jobs = _whole_jobs(cut_lines.filter(cut_lines.whole), members, owner_numbers)
    every = ibis.union(*(rows.select(*OF_CUT, *OF_PART) for rows in (mine, jobs)))
    whole = {name: money(every[name] * every.times) for name in AMOUNTS}
    return every.mutate(**whole).select(*OF_LINE, *OF_PART)


def _left_to(lines: ir.Table) -> ir.Value:
    """Returns the cluster of parts nobody held: the machine's if volume or traffic, else null."""
    return ibis.ifelse(lines.beside, lines.unit_cluster, None)


def _divided(lines: ir.Table, shares: ir.Table, of_times: ir.Table) -> ir.Table:
    """Divides bill lines by owners' fractions of their periods, or of their time; else not at all.

    A line of a machine that no allocation is about has neither.
    """
    timed, left = lines.filter(lines.span.notnull()), lines.filter(lines.span.isnull())
    joined = (_joined(timed, shares, ["span"]), _joined(left, of_times, OWNED))
    columns = [*OF_CUT, "cluster", *OF_SHARE]
    rows = ibis.union(*(each.select(columns) for each in joined))
    split = _split(rows.filter(rows.fraction.notnull()))
    both = rows.filter(rows.fraction.isnull()).union(split.select(columns))
    return both.mutate(allocation_flags=_flags(both))


def _joined(lines: ir.Table, shares: ir.Table, keys: list[str]) -> ir.Table:
    rows = left_join(lines, shares.select(*keys, "cluster", *OF_SHARE), keys)
    return rows.mutate(cluster=ibis.ifelse(rows.holding.isnull(), _left_to(rows), rows.cluster))


def _split(rows: ir.Table) -> ir.Table:
    """Splits amounts by their fractions; the largest part is what the others leave of the whole."""
    small = rows.filter(~rows.largest)
    small = small.mutate(**{name: _part(small, name) for name in AMOUNTS})
    taken = small.group_by("cut").agg(**{f"{name}_taken": small[name].sum() for name in AMOUNTS})
    large = rows.filter(rows.largest).join(taken, "cut")
    large = large.mutate(**{name: large[name] - large[f"{name}_taken"] for name in AMOUNTS})
    return small.union(large.select(rows.columns))


def _part(rows: ir.Table, name: str) -> ir.DecimalValue:
    return money((rows[name].cast("float64") * rows.fraction).round(PLACES))


def _flags(rows: ir.Table) -> ir.Value:
    """Returns a column of flags: `over_allocated` on held parts, `daily_allocation` on idle too.

    What a day leaves idle is known by the day, too. Undelivered parts have no flag.
    """
    over = rows.holding.isin((HELD, UNKNOWN)) & (rows.over > 0)
    return ibis.cases(
        (rows.holding.isnull() | (rows.holding == UNDELIVERED), None),
        (over & rows.daily, f"{DAILY},{OVER}"),
        (over, OVER),
        (rows.daily, DAILY),
        else_=None,
    )


def _whole_jobs(lines: ir.Table, members: ir.Table, owners: ir.Table) -> ir.Table:
    """Assigns bill lines whose resource is a SageMaker job to that job, whatever their time."""
    names = owner_columns(owners)
    jobs = members.join(owners, [members[name].identical_to(owners[name]) for name in names])
    jobs = jobs.select("owner", "known", "cluster", machine="resource")
    rows = left_join(lines, jobs, ["machine"])
    holding = ibis.cases((rows.known, HELD), (~rows.known, UNKNOWN))
    return rows.mutate(
        holding=holding,
        cluster=ibis.ifelse(holding.isnull(), _left_to(rows), rows.cluster),
        allocation_flags=ibis.null("string"),
    )
