"""Runs that only the bill or only progress knows, with the likely cause and a rule that mends it.

Two names are similar where they differ in case and separators only, or where one is the other
behind a prefix (`team-a-run7`, `run7`), and where the days of the two meet. A run of the bill may
also be a second spelling of one that both know: then a part of that run's cost is missing.
`tag_rule` is text to paste into the config; nothing applies it. It is given only where each of the
two is similar to no other run, for a rule that takes two runs for one would move cost onto the
wrong epochs.

Causes: `name_differs`, `several_alike`; of the bill's: `no_accelerator_hours`, `not_reported_yet`,
`never_reported`; of progress': `before_the_bill`, `not_billed_yet`, `run_tag_missing` (its workload
has hours without a run on those days), `no_charge`, and `sources_differ`: the bill may know it, but
two sources of progress tell otherwise, as `detail` says (METHOD §3.3). A benchmark that says
nothing of how fast it was is `benchmark_without_number` (METHOD §5.6). One that tells training
steps alone, whose size nobody says, is `steps_without_size` (METHOD §3.1).
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.declaration import mart
from models.contract.joins import left_join, same_keys
from models.contract.money import ZERO, known_sum
from models.contract.schema import MARTS, NUMBER

KEYS = ("workload", "run")
SEPARATORS = "[^a-z0-9]+"
LAST_WORD = "([a-z0-9]+)[^a-z0-9]*$"
UNQUOTED = r'["\\*\n\r\t]'
"""What a rule cannot say plainly; `*` would match more than the one name."""


@mart(
    grain="workload × run × seen_in (`bill`, `progress`) × cause",
    units="dollars on `cost.basis`; accelerator-hours; epochs",
    nulls="cost, hours: seen in progress only; epochs: seen in the bill only, or sources differ; "
    "tag_rule: none is safe; detail: sources do not differ, no benchmark",
    method="§10.3",
    whose="run",
)
def unmatched_runs(
    spend_daily: ir.Table,
    progress_daily: ir.Table,
    differing_sources: ir.Table,
    benchmark_runs: ir.Table,
    samples: ir.Table,
    settings: Settings,
) -> ir.Table:
    """Lists runs of the bill without progress, of progress without a charge, and contradictions."""
    billed, reported = _billed(spend_daily, settings), _reported(progress_daily)
    unreported = billed.anti_join(reported, same_keys(billed, reported, KEYS)).select(
        billed.columns
    )
    unbilled = reported.anti_join(billed, same_keys(reported, billed, KEYS)).select(
        reported.columns
    )
    pairs = _similar_pairs(unreported, _with_paid(reported, unbilled), billed, settings)
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
            )
        )
    )


def _contradicted(differing: ir.Table) -> ir.Table:
    """Lists the runs of which two sources of progress tell otherwise."""
    return differing.mutate(seen_in=ibis.literal("progress"), cause=ibis.literal("sources_differ"))


def _without_number(runs: ir.Table) -> ir.Table:
    """Lists the benchmarks that both sides know and that still say nothing."""
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
    """Lists the runs that tell how many steps they did, and neither tell nor get their size."""
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


def _complete(rows: ir.Table, columns: list[str]) -> ir.Table:
    """Selects the published columns; those that do not apply are null."""
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


def _similar_pairs(
    unreported: ir.Table, reported: ir.Table, billed: ir.Table, settings: Settings
) -> ir.Table:
    """Pairs billed runs with reported runs of similar names, with a tag rule that joins them."""
    left = unreported.select(
        *(unreported[name].name(f"billed_{name}") for name in (*KEYS, "first_day", "last_day")),
        word=_last_word(unreported),
    )
    right = reported.select(
        *(reported[name].name(f"reported_{name}") for name in (*KEYS, "first_day", "last_day")),
        word=_last_word(reported),
        paid=reported.paid,
    )
    both = left.inner_join(right, "word").filter(_days_meet, _names_similar)
    of_bill = ibis.window(group_by=["billed_workload", "billed_run"])
    of_progress = ibis.window(group_by=["reported_workload", "reported_run"])
    each = both.mutate(
        billed_others=both.count().over(of_bill), reported_others=both.count().over(of_progress)
    )
    owners = billed.group_by(owned="run").agg(owners=billed.count())
    each = each.join(owners, each.billed_run == owners.owned)
    return each.mutate(tag_rule=_tag_rule(each, settings))


def _last_word(runs: ir.Table) -> ir.StringValue:
    """Returns the last word of a run's name, which similar names share."""
    return runs.run.lower().re_extract(LAST_WORD, 1)


def _days_meet(both: ir.Table) -> ir.BooleanValue:
    day = ibis.interval(days=1)
    return (both.billed_first_day <= both.reported_last_day + day) & (
        both.billed_last_day >= both.reported_first_day - day
    )


def _names_similar(both: ir.Table) -> ir.BooleanValue:
    workload = _similar(both.billed_workload, both.reported_workload)
    same = _normalised(both.billed_run) == _normalised(both.reported_run)
    return _similar(both.billed_run, both.reported_run) & workload & (same | ~both.paid)


def _similar(one: ir.StringValue, other: ir.StringValue) -> ir.BooleanValue:
    a, b = _normalised(one), _normalised(other)
    return (a == b) | a.endswith(ibis.literal("-") + b) | b.endswith(ibis.literal("-") + a)


def _normalised(name: ir.StringValue) -> ir.StringValue:
    """Normalises a name: lower case, each run of separators as one hyphen."""
    return name.lower().re_replace(SEPARATORS, "-")


def _tag_rule(each: ir.Table, settings: Settings) -> ir.StringValue:
    """Writes the `[[tag_rules]]` entry that renames a billed run as reported; null if not safe."""
    same_run = each.billed_run == each.reported_run
    same_owner = each.billed_workload == each.reported_workload
    begins = each.billed_first_day.min().over(ibis.window(group_by="billed_workload"))
    by_owner = _rule_ends(settings.tags.workload, each.billed_workload, begins)
    by_run = _rule_ends(settings.tags.run, each.billed_run, each.billed_first_day)
    owner = ibis.literal('workload = "') + each.reported_workload + ibis.literal('"\n')
    run = ibis.literal('run = "') + each.reported_run + ibis.literal('"\n')
    rule = ibis.cases(
        (same_run, by_owner[0] + owner + by_owner[1]),
        (same_owner, by_run[0] + run + by_run[1]),
        else_=by_run[0] + run + owner + by_run[1],
    )
    only = (each.billed_others == 1) & (each.reported_others == 1) & (each.owners == 1)
    names = (each.billed_run, each.reported_run, each.billed_workload, each.reported_workload)
    plain = ibis.and_(*(~name.re_search(UNQUOTED) for name in names))
    return ibis.ifelse(only & plain, rule, None)


def _rule_ends(
    key: str, value: ir.StringValue, since: ir.DateValue
) -> tuple[ir.StringValue, ir.StringValue]:
    """Returns the `[[tag_rules]]` text before and after its assignments: `match`, and `from`."""
    quoted = key.replace("\\", "\\\\").replace('"', '\\"')
    begin = ibis.literal(f'[[tag_rules]]\nmatch = {{ "{quoted}" = "') + value + '" }\n'
    return begin, ibis.literal("from = ") + since.strftime("%Y-%m-%d") + "\n"


def _with_counterpart(runs: ir.Table, pairs: ir.Table, own: str, other: str) -> ir.Table:
    """Adds to each run the similarly named one, or that there are several alike."""
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
    """Lists runs on whose days their workload has accelerator-hours without a run tag."""
    bare = spend.filter(spend.run.isnull() & (spend.accelerator_hours > 0))
    days = bare.select("date", owner="workload")
    met = runs.inner_join(
        days, [runs.workload == days.owner, days.date >= runs.first_day, days.date <= runs.last_day]
    )
    return met.select(*KEYS).distinct().mutate(lost=True)
