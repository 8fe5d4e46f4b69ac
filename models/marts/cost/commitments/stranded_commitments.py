"""Computes what the migration left idle of commitments that covered GPU runs (METHOD §2.11).

Of each month's idle it is what lies beyond the commitment's monthly average before the cutover:
idle before it ÷ months from its first charge to the cutover, a part of a month counting by its
days. A month that is not whole after the cutover, or in which the commitment ended, is measured
against that part of the average. A commitment that did not exist before has no average, so 0, and
so has one of which more was refunded than stood idle: no more is stranded than stands idle. Where
one covered GPU runs of several workloads that moved, "before" is before the first of them moved,
and each takes its part by the GPU hours covered. Example: a plan was idle for $300 in the three
months before cutover and for $450 in a whole month after it: $450 − $100 = $350 is stranded.

What is unused of a reservation is billed once a month, on its first day, for the whole month; in
the month in which it was bought on the day of that, for the rest. In the month of the cutover it
counts as before and after by days. Example: of $300 billed for September, with the cutover on the
11th, $100 were idle before it and $200 after.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.money import ZERO, allocated, known_sum, ratio
from models.marts.cost.commitments.covered_hours import MONTH
from models.marts.cost.commitments.silent_payers import ENDED

RESERVED = r":reserved-instances/|^any of the reservations of "
"""Names of reservations that reserve a price: AWS's, and those that Cost Explorer's lines get."""


def stranded_commitments(
    idle_commitments: ir.Table, covered: ir.Table, cutovers: ir.Table
) -> ir.Table:
    """Computes the daily dollars of GPU commitments that each workload's move left idle.

    Settled days from cutover on, on the configured basis. The dollars are investment, and never
    also overhead; null where a price is missing. `idle_on` is the day of the
    bill's line.
    """
    moved = _moved(covered, cutovers)
    first = moved.group_by("commitment").agg(first=moved.cutover.min())
    whole = ("date", "month", "commitment", "since", "newest", "until")
    idle = idle_commitments.group_by(*whole).agg(cost=known_sum(idle_commitments.cost))
    idle = _with_later(idle.join(first, "commitment"))
    after = idle.filter(idle["last"] >= idle["first"].epoch_days())
    return _by_workload(_by_day(after, _excess(after, _before(idle))), moved)


def _by_day(after: ir.Table, excess: ir.Table) -> ir.Table:
    """Divides a commitment's stranded dollars of a month among its days, by their idle cost."""
    days = after.select("date", "last", *MONTH, weight=ibis.greatest(after.later, ZERO))
    days = days.join(excess, MONTH)
    days = days.mutate(owner=days.date.cast("string"))
    return allocated(days, ["amount"], weight="weight", within=MONTH, owner="owner")


def _by_workload(days: ir.Table, moved: ir.Table) -> ir.Table:
    """Divides a day's stranded dollars among the workloads that had moved by then, by GPU hours."""
    borne = days.select("date", "last", "commitment", "amount").join(moved, "commitment")
    borne = borne.filter(borne["last"] >= borne.cutover.epoch_days())
    day = ["commitment", "date"]
    parts = allocated(borne, ["amount"], weight="hours", within=day, owner="workload")
    moved_on = ibis.greatest(parts.date, parts.cutover)
    return parts.select("workload", "commitment", "amount", date=moved_on, idle_on="date")


def _moved(covered: ir.Table, cutovers: ir.Table) -> ir.Table:
    """Returns the moved workloads whose GPU runs each commitment covered, with their cutover."""
    on_gpu = covered.filter(covered.hardware == "gpu")
    used = on_gpu.group_by("commitment", "workload").agg(hours=on_gpu.hours.sum())
    return used.join(cutovers, "workload")


def _with_later(idle: ir.Table) -> ir.Table:
    """Adds to idle cost `last`, the last day it is for, and `later`, its part since the cutover.

    `last` is in days of the epoch.
    """
    start = idle.month.cast("timestamp").date()
    newest = idle.date.max().over(ibis.window(group_by=MONTH))
    monthly = idle.commitment.re_search(RESERVED) & (newest == ibis.greatest(start, idle.since))
    begin, end = idle.date.epoch_days(), start.epoch_days() + _length(start) - 1
    end = ibis.greatest(ibis.least(end, idle.until.epoch_days()), begin)
    rows = idle.mutate(last=ibis.ifelse(monthly, end, begin))
    days = rows["last"] - rows.date.epoch_days() + 1
    left = rows["last"] - rows["first"].epoch_days() + 1
    left = ibis.least(ibis.greatest(left, 0), days)
    return rows.mutate(later=ratio(rows.cost * left, days))


def _before(idle: ir.Table) -> ir.Table:
    """Returns each commitment's idle cost before the first cutover, and months (`parts` ÷ `of`).

    `before` is 0 where nothing was idle then, for example because the commitment did not exist yet.
    """
    then = idle.date < idle["first"]
    sums = idle.group_by("commitment", "first", "since").agg(
        before=known_sum(ibis.ifelse(then, idle.cost - idle.later, ZERO))
    )
    first, since = sums["first"], sums.since
    months = (first.year() - since.year()) * 12 + first.month() - since.month()
    one, other = _length(first), _length(since)
    return sums.select(
        "commitment",
        "before",
        of=one * other,
        parts=months * one * other + (first.day() - 1) * other - (since.day() - 1) * one,
    )


def _excess(after: ir.Table, before: ir.Table) -> ir.Table:
    """Returns each month's idle cost beyond the average before the cutover, if positive or unknown.

    It is unknown where the price of an idle hour of the month, or of the time before, is missing.
    """
    whole = (*MONTH, "first", "newest", "until")
    rows = after.group_by(*whole).agg(cost=known_sum(after.later)).join(before, "commitment")
    start = rows.month.cast("timestamp").date()
    begin = ibis.greatest(start.epoch_days(), rows["first"].epoch_days())
    end = ibis.least(start.epoch_days() + _length(start), _last_day(rows) + 1)
    part = rows.before * rows.of * (end - begin)
    usual = ibis.ifelse(rows.parts == 0, ZERO, ratio(part, rows.parts * _length(start)))
    beyond = rows.select(*MONTH, amount=rows.cost - ibis.ifelse(usual < 0, ZERO, usual))
    return beyond.filter((beyond.amount > 0).fill_null(True))


def _last_day(rows: ir.Table) -> ir.Value:
    """Returns a commitment's last billed day if ended, else its payer's last settled (epoch days).

    The bill has no day of the end of a reservation, which it lists by the month.
    """
    until, newest = rows.until.epoch_days(), rows.newest.epoch_days()
    ended = (until - newest > ENDED) & ~rows.commitment.re_search(RESERVED)
    return ibis.ifelse(ended.fill_null(False), newest, until)


def _length(day: ir.Value) -> ir.Value:
    """Returns the number of days in the month of `day`."""
    start = day.truncate("M").cast("timestamp").date()
    following = (start + ibis.interval(months=1)).cast("timestamp").date()
    return following.epoch_days() - start.epoch_days()
