"""Divides bill lines of shared machines by their period's shares; nothing is added or lost.

Every line of a machine and period is divided in one proportion, whatever it costs: usage, the part
that a plan covers, adjustments. An adjustment of a time in which the bill has no hours follows the
day. Volumes and traffic of a machine follow its owners of that day; on a day without one they are
the cluster's. Lines of a machine that no allocation is about stay as they were.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step
from models.contract.money import PLACES, ZERO, money
from models.contract.rules.allocation_flags import DAILY, OVER
from models.contract.schema import COST_COLUMNS
from models.marts.cost.shared_machines.exact_sum import exact_sum
from models.marts.cost.shared_machines.owners import owner_columns
from models.marts.cost.shared_machines.shares import HELD, UNKNOWN, with_fractions
from models.marts.cost.shared_machines.spans import KEYS

AMOUNTS = ("quantity", *COST_COLUMNS)
OF_LINE = ("line", "kind", *AMOUNTS, "first_hour", "last_hour")
OF_CUT = ("cut", "times", *OF_LINE)
OF_SHARE = ("cluster", "holding", "owner", "over", "daily", "fraction", "largest")
OF_PART = ("cluster", "holding", "owner", "allocation_flags")
UNIT_DAY = ["unit_day"]


@step(
    grain="line × span × cluster × holding × owner",
    units="dollars on the four bases; quantity in the unit of the SKU",
    nulls="cluster, holding: no allocation is about the machine; owner: nobody",
    method="§2.10.1, §2.10.5, §2.10.7",
    whose="run",
)
def parts(
    placed_lines: ir.Table,
    line_periods: ir.Table,
    spans: ir.Table,
    shares: ir.Table,
    members: ir.Table,
    owners: ir.Table,
) -> ir.Table:
    """Divides the bill lines of shared machines into parts of jobs that held them and idle parts.

    A line of a machine that no allocation is about stays whole. Periods of a line that are divided
    alike are divided once; the parts count `times` over.
    """
    lines = _cut(placed_lines, line_periods, spans)
    mine = _divided(lines.filter(lines.unit_day.notnull() & ~lines.whole), shares)
    jobs = _whole_jobs(lines.filter(lines.whole), members, owners)
    rest = lines.anti_join(mine.select("cut").union(jobs.select("cut")), "cut")
    untouched = rest.mutate(
        cluster=ibis.ifelse(rest.beside, rest.unit_cluster, None),
        **{name: ibis.null("string") for name in ("holding", "allocation_flags")},
        owner=ibis.null("int64"),
    )
    every = ibis.union(*(rows.select(*OF_CUT, *OF_PART) for rows in (mine, jobs, untouched)))
    whole = {name: money(every[name] * every.times) for name in AMOUNTS}
    return every.mutate(**whole).select(*OF_LINE, *OF_PART)


def _cut(lines: ir.Table, line_periods: ir.Table, spans: ir.Table) -> ir.Table:
    """Cuts lines by span, as `cut`; periods in which the bill has no hours are one without."""
    named = spans.select("span", "unit_day", "length", period_from=spans.starts.unnest())
    found = line_periods.left_join(named, [*KEYS])
    last = found.period_from.max() + found.length.max().as_interval("s")
    cuts = found.group_by("line", "span").agg(
        of_cut=found.count(), first=found.period_from.min(), last=last.cast("timestamp")
    )
    rows = lines.left_join(cuts.rename(cut_line="line"), lines.line == cuts.line)
    hour = rows.periods.notnull() & rows["first"].notnull() & rows.first_hour.notnull()
    return rows.mutate(
        cut=ibis.row_number(),
        times=ibis.coalesce(rows.of_cut, rows.periods.length(), 1),
        first_hour=ibis.ifelse(hour, rows["first"], rows.first_hour),
        last_hour=ibis.ifelse(hour, rows["last"], rows.last_hour),
    )


def _divided(lines: ir.Table, shares: ir.Table) -> ir.Table:
    """Divides each line by the shares of its span, else of its unit's day."""
    usage = lines.filter(lines.span.notnull()).join(shares.drop(*UNIT_DAY), "span")
    left = lines.filter(lines.span.isnull())
    owned = shares.filter(shares.holding.isin((HELD, UNKNOWN))).mutate(over=0.0, daily=False)
    columns = [*OF_CUT, *OF_SHARE]
    every = usage.select(columns).union(
        _by_day(left.filter(~left.beside), shares).select(columns),
        _by_day(left.filter(left.beside), owned).select(columns),
    )
    split = _split(every.filter(every.fraction.notnull()))
    both = every.filter(every.fraction.isnull()).union(split.select(columns))
    return both.mutate(allocation_flags=_flags(both))


def _split(rows: ir.Table) -> ir.Table:
    """Splits amounts by their fractions, so that the parts add up to the exact whole."""
    share = rows.fraction
    given = {
        f"{name}_": money((rows[name].cast("float64") * share).round(PLACES)) for name in AMOUNTS
    }
    rows = rows.mutate(**given)
    sums = rows.group_by("cut").agg(**{f"{name}_given": rows[f"{name}_"].sum() for name in AMOUNTS})
    rows = rows.join(sums, "cut")
    return rows.mutate(
        **{
            name: rows[f"{name}_"]
            + ibis.ifelse(rows.largest, rows[name] - rows[f"{name}_given"], ZERO)
            for name in AMOUNTS
        }
    )


def _by_day(lines: ir.Table, shares: ir.Table) -> ir.Table:
    """Gives each line the shares of its unit's day: the sums of those of its periods."""
    shares = shares.semi_join(lines.select(UNIT_DAY).distinct(), UNIT_DAY)
    sums = shares.group_by(*UNIT_DAY, "cluster", "holding", "owner").agg(
        part=exact_sum(shares.part * shares.alike), over=shares.over.max(), daily=shares.daily.any()
    )
    return lines.join(with_fractions(sums, UNIT_DAY), UNIT_DAY)


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
