"""Assigns times to samples without one, spread over the time the run held machines (METHOD §3.3).

That is when its jobs held them, else the hours (of a bill by day: the days) that the bill charges
to its tag. Evenly by step, else by how far the run had got: a run that held machines for ten hours
and reports 4 epochs in all was at epoch 1 after two and a half of them. Each counter of each source
has a scale of its own. A run that resumed another, as its source or `[[runs]]` says, begins with
its first sample instead of 0. A break is left out. A run that neither knows has no time: its
samples are left out, and `unmatched_runs` names it.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.joins import left_join

RUN = ["workload", "run"]
COUNTERS = ("step", "epoch", "samples", "tokens")
"""What says how far a run had got; the first that a sample has."""


def with_held_times(
    progress: ir.Table, held_times: ir.Table, charge_kinds: ir.Table, config_runs: ir.Table
) -> ir.Table:
    """Adds missing times to samples by when their run held machines; drops those of no known time.

    `timed_by_allocation` says to which.
    """
    timed = progress.filter(progress.observed_at.notnull())
    timed = timed.mutate(timed_by_allocation=ibis.literal(False))
    loose = progress.filter(progress.observed_at.isnull())
    loose = with_resumed(loose, config_runs).filter(lambda row: ~(row.resumed & _is_zero(row)))
    shares = (_share(loose, name) for name in COUNTERS)
    loose = loose.mutate(part=ibis.coalesce(*shares, 0.0))
    jobs = _of_runs(loose, held_times)
    spans = _spans(jobs.union(_of_runs(loose, _charged(charge_kinds)).anti_join(jobs, RUN)))
    placed = loose.join(spans, [loose.workload == spans.held_workload, loose.run == spans.held_run])
    at = placed.part * placed.total
    inside = (at >= placed.before) & ((at < placed.before + placed.length) | placed.final)
    placed = placed.mutate(at=at).filter(inside)
    seconds = (placed["at"] - placed.before).round().cast("int64")
    times = (placed.began + seconds.as_interval("s")).cast(progress.observed_at.type())
    at_the_end = placed["at"] >= placed.before + placed.length
    next_day = at_the_end & (times == times.truncate("D"))  # on which the run held nothing
    times = ibis.ifelse(next_day, times - ibis.interval(seconds=1), times)
    laid = placed.mutate(observed_at=times, timed_by_allocation=ibis.literal(True))
    return timed.union(laid.select(timed.columns))


def with_resumed(given: ir.Table, config_runs: ir.Table) -> ir.Table:
    """Adds whether the run of a sample resumed another, by its source or by `[[runs]]`."""
    stated = given.filter(given.resumed_from.notnull()).select(RUN)
    configured = _of_name(given, config_runs.filter(config_runs.resumed_from.notnull()))
    runs = stated.union(configured.select(RUN)).distinct()
    rows = left_join(given, runs.mutate(resumed=ibis.literal(value=True)), RUN)
    return rows.mutate(resumed=rows.resumed.fill_null(False))


def _is_zero(loose: ir.Table) -> ir.Value:
    """Whether a sample only says that its run began with nothing done: step 0, and no loss.

    A reader of logs adds it where nothing in the log tells that the run resumed another.
    """
    return (loose.step == 0).fill_null(False) & loose.loss.isnull()


def _share(loose: ir.Table, counter: str) -> ir.Value:
    """Returns how far a run had got at each sample by one counter, from 0 at its start to 1."""
    of_source = ibis.window(group_by=[*RUN, "source"])
    done = loose[counter].cast("float64")
    first = ibis.ifelse(loose.resumed, done.min().over(of_source), 0.0)
    return (done - first) / (done.max().over(of_source) - first).nullif(0.0)


def _of_runs(loose: ir.Table, held: ir.Table) -> ir.Table:
    """Selects from when to when the runs of some samples held machines."""
    return _of_name(loose, held).select(*RUN, "began", "ended")


def _of_name(loose: ir.Table, rows: ir.Table) -> ir.Table:
    """Joins to runs the rows of their name and workload; rows without a workload fit any."""
    runs = loose.select(RUN).distinct()
    rows = rows.rename(named_run="run", named_workload="workload")
    same = rows.named_workload.isnull() | (rows.named_workload == runs.workload)
    return runs.join(rows, [runs.run == rows.named_run, same])


def _charged(charge_kinds: ir.Table) -> ir.Table:
    """Lists from when to when the bill charges machines to the tag of each run, day by day."""
    used = charge_kinds.bucket.isnull() & charge_kinds.accelerated
    rows = charge_kinds.filter(
        used & charge_kinds.run.notnull() & (charge_kinds.instance_hours > 0)
    )
    midnight = rows.date.cast(rows.first_hour.type())
    return rows.select(
        "workload",
        "run",
        began=ibis.coalesce(rows.first_hour, midnight),
        ended=ibis.coalesce(rows.last_hour, midnight + ibis.interval(days=1)),
    )


def _spans(held: ir.Table) -> ir.Table:
    """Lists the times that each run held machines, in order, with the seconds before."""
    turn = {"group_by": RUN, "order_by": [held.began, held.ended]}
    rows = held.mutate(reached=held.ended.max().over(ibis.cumulative_window(**turn)))
    before = rows.reached.lag().over(ibis.window(group_by=RUN, order_by=["began", "ended"]))
    rows = rows.mutate(began=ibis.greatest(rows.began, before.fill_null(rows.began)))
    rows = rows.filter(rows.ended > rows.began)
    length = rows.ended.delta(rows.began, unit="second").cast("float64")
    rows = rows.mutate(length=length)
    until = rows.length.sum().over(ibis.cumulative_window(group_by=RUN, order_by=[rows.began]))
    last = ibis.row_number().over(ibis.window(group_by=RUN, order_by=[ibis.desc("began")]))
    return rows.select(
        "began", "length", held_workload="workload", held_run="run", before=until - rows.length,
        final=last == 0, total=rows.length.sum().over(ibis.window(group_by=RUN)),
    )  # fmt: skip
