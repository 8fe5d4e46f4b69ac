"""Lists runs that only the bill or progress has, or that contradict, with cause and tag rule.

Causes: `name_differs`, `several_alike`; of the bill's: `no_accelerator_hours`, `not_reported_yet`,
`never_reported`; of progress': `before_the_bill`, `not_billed_yet`, `run_tag_missing` (its workload
has hours without a run on those days), `no_charge`, and `sources_differ`: the bill may have it, but
two sources of progress disagree, as `detail` says (METHOD §3.3). A benchmark without a measurement
is `benchmark_without_number` (METHOD §5.6). A run that reports only training steps of unknown size
is `steps_without_size` (METHOD §3.1), one without times that neither jobs nor the bill place
`samples_without_time` (METHOD §3.3). Names are compared by `similar_runs`.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.declaration import mart
from models.contract.joins import left_join, same_keys
from models.contract.money import ZERO, known_sum
from models.contract.schema import MARTS, NUMBER
from models.marts.trust.similar_runs import KEYS, similar_pairs


@mart(
    grain="workload × run × seen_in (`bill`, `progress`) × cause",
    units="dollars on `cost.basis`; accelerator-hours; epochs",
    nulls="cost, hours: seen in progress only; epochs: seen in the bill only, or sources differ; "
    "tag_rule: none is safe; detail: sources do not differ, no benchmark; days: no sample has one",
    method="§10.3",
    whose="run",
)
def unmatched_runs(
    spend_daily: ir.Table,
    progress_daily: ir.Table,
    differing_sources: ir.Table,
    benchmark_runs: ir.Table,
    progress: ir.Table,
    samples: ir.Table,
    settings: Settings,
) -> ir.Table:
    """Lists runs that only the bill or only progress has, and contradictory or unusable ones."""
    billed, reported = _billed(spend_daily, settings), _reported(progress_daily)
    unreported = billed.anti_join(reported, same_keys(billed, reported, KEYS)).select(
        billed.columns
    )
    unbilled = reported.anti_join(billed, same_keys(reported, billed, KEYS)).select(
        reported.columns
    )
    pairs = similar_pairs(unreported, _with_paid(reported, unbilled), billed, settings)
    of_bill = _cause_of_unreported(
        _with_counterpart(unreported, pairs, "billed", "reported"), progress_daily
    )
    of_progress = _cause_of_unbilled(
        _with_counterpart(unbilled, pairs, "reported", "billed"), spend_daily
    )
    columns = list(MARTS["unmatched_runs"])
    return ibis.union(
        *(
            _complete(rows, columns)
            for rows in (
                of_bill,
                of_progress,
                _contradicted(differing_sources),
                _without_number(benchmark_runs),
                _of_unknown_steps(samples),
                _of_unknown_times(progress, samples),
            )
        )
    )


def _contradicted(differing: ir.Table) -> ir.Table:
    """Lists the runs for which two sources of progress disagree."""
    return differing.mutate(seen_in=ibis.literal("progress"), cause=ibis.literal("sources_differ"))


def _without_number(runs: ir.Table) -> ir.Table:
    """Lists the benchmarks that have a bill and progress but no measurement."""
    known = runs.last_day.notnull() & runs.platform.notnull()
    rows = runs.filter(runs.instance_hours.isnull() & known)
    return rows.select(
        *KEYS,
        first_day="last_day",
        last_day="last_day",
        detail="reason",
        seen_in=ibis.literal("progress"),
        cause=ibis.literal("benchmark_without_number"),
    )


def _of_unknown_steps(samples: ir.Table) -> ir.Table:
    """Lists the runs that report only steps, whose size is unknown."""
    counted = ibis.or_(*(samples[name].notnull() for name in ("epoch", "samples", "tokens")))
    runs = samples.group_by(*KEYS).agg(
        first_day=samples.observed_at.min().date(),
        last_day=samples.observed_at.max().date(),
        counted=counted.any(),
        steps=samples.step.max(),
    )
    return runs.filter((runs.steps > 0) & ~runs.counted).select(
        *KEYS,
        "first_day",
        "last_day",
        seen_in=ibis.literal("progress"),
        cause=ibis.literal("steps_without_size"),
    )


def _of_unknown_times(progress: ir.Table, samples: ir.Table) -> ir.Table:
    """Lists the runs with samples of unknown time alone: no job and no charge places them."""
    runs = progress.filter(progress.observed_at.isnull()).select(*KEYS).distinct()
    return runs.anti_join(samples, same_keys(runs, samples, KEYS)).select(
        *runs.columns,
        seen_in=ibis.literal("progress"),
        cause=ibis.literal("samples_without_time"),
    )


def _complete(rows: ir.Table, columns: list[str]) -> ir.Table:
    """Selects the published columns; those that the rows lack are null."""
    types = MARTS["unmatched_runs"]
    return rows.select(
        **{name: rows[name] if name in rows.columns else ibis.null(types[name]) for name in columns}
    )


def _billed(spend: ir.Table, settings: Settings) -> ir.Table:
    rows = spend.filter(spend.run.notnull())
    return rows.group_by(*KEYS).agg(
        first_day=rows.date.min(),
        last_day=rows.date.max(),
        cost=known_sum(rows[f"{settings.cost.basis}_cost"]),
        accelerator_hours=rows.accelerator_hours.sum().cast(NUMBER),
    )


def _reported(progress: ir.Table) -> ir.Table:
    return progress.group_by(*KEYS).agg(
        first_day=progress.date.min(),
        last_day=progress.date.max(),
        epochs=progress.epochs.sum().cast(NUMBER),
    )


def _with_paid(reported: ir.Table, unbilled: ir.Table) -> ir.Table:
    """Adds to every reported run whether the bill has it under its own name."""
    missing = unbilled.select(*KEYS, missing=True)
    named = missing.rename(workload_of="workload", run_of="run")
    joined = reported.left_join(named, same_keys(reported, named, KEYS, "_of"))
    return joined.select(*reported.columns, paid=joined.missing.isnull())


def _with_counterpart(runs: ir.Table, pairs: ir.Table, own: str, other: str) -> ir.Table:
    """Adds to each run the run with a similar name, or that there are several."""
    found = pairs.group_by(workload=pairs[f"{own}_workload"], run=pairs[f"{own}_run"]).agg(
        lone=((pairs.billed_others == 1) & (pairs.reported_others == 1)).arbitrary(),
        counterpart_workload=pairs[f"{other}_workload"].arbitrary(),
        counterpart_run=pairs[f"{other}_run"].arbitrary(),
        tag_rule=pairs.tag_rule.arbitrary(),
    )
    named = found.rename(workload_of="workload", run_of="run")
    joined = runs.left_join(named, same_keys(runs, named, KEYS, "_of"))
    return joined.mutate(
        counterpart_workload=ibis.ifelse(joined.lone, joined.counterpart_workload, None),
        counterpart_run=ibis.ifelse(joined.lone, joined.counterpart_run, None),
        by_name=ibis.cases((joined.lone, "name_differs"), (~joined.lone, "several_alike")),
    )


def _cause_of_unreported(runs: ir.Table, progress: ir.Table) -> ir.Table:
    newest = progress.agg(newest=progress.date.max()).newest.as_scalar()
    cause = ibis.cases(
        (runs.accelerator_hours.fill_null(ZERO) == 0, "no_accelerator_hours"),
        (runs.first_day > newest, "not_reported_yet"),
        else_="never_reported",
    )
    return runs.mutate(
        seen_in=ibis.literal("bill"),
        epochs=ibis.null(NUMBER),
        cause=ibis.coalesce(runs.by_name, cause),
    )


def _cause_of_unbilled(runs: ir.Table, spend: ir.Table) -> ir.Table:
    bill = spend.agg(first=spend.date.min(), last=spend.date.max())
    rows = left_join(runs, _untagged_meanwhile(runs, spend), KEYS)
    cause = ibis.cases(
        (rows.first_day > bill["last"].as_scalar(), "not_billed_yet"),
        (rows.last_day < bill["first"].as_scalar(), "before_the_bill"),
        (rows.lost, "run_tag_missing"),
        else_="no_charge",
    )
    return rows.mutate(
        seen_in=ibis.literal("progress"),
        cost=ibis.null("decimal(38, 9)"),
        accelerator_hours=ibis.null(NUMBER),
        cause=ibis.coalesce(rows.by_name, cause),
    )


def _untagged_meanwhile(runs: ir.Table, spend: ir.Table) -> ir.Table:
    """Lists runs whose workload has accelerator-hours without a run tag on their days."""
    bare = spend.filter(spend.run.isnull() & (spend.accelerator_hours > 0))
    days = bare.select("date", owner="workload")
    met = runs.inner_join(
        days, [runs.workload == days.owner, days.date >= runs.first_day, days.date <= runs.last_day]
    )
    return met.select(*KEYS).distinct().mutate(lost=True)
