"""Runs that the bill knows and progress does not, and the reverse, with the likely cause.

Grain: workload × run × `seen_in` (`bill`, `progress`). Dollars on the configured basis and
accelerator-hours of what the bill has, epochs of what was reported. Two names are alike where they
are one but for case and separators, or where one is the other behind a prefix, and where the days
of the two meet. A run of the bill may also be a second spelling, but for case and separators, of
one that both know: then a part of that run's cost is missing. `tag_rule` is text to paste into the
config, and nothing applies it. There is one only where each of the two is like no other run, for a
rule that takes two runs for one would move cost onto the wrong epochs.

Causes: `name_differs`, `several_alike`; of the bill's: `no_accelerator_hours`, `not_reported_yet`,
`never_reported`; of progress': `before_the_bill`, `not_billed_yet`, `run_tag_missing` (its workload
has hours without a run on those days), `no_charge`.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.joins import left_join, same_keys
from models.contract.money import ZERO, known_sum
from models.contract.schema import MARTS, NUMBER

KEYS = ("workload", "run")
SEPARATORS = "[^a-z0-9]+"
LAST_WORD = "([a-z0-9]+)[^a-z0-9]*$"
UNQUOTED = r'["\\*\n\r\t]'
"""What a rule cannot say plainly; `*` would match more than the one name."""


def unmatched_runs(spend_daily: ir.Table, progress_daily: ir.Table, settings: Settings) -> ir.Table:
    """The mart of that name."""
    billed, told = _billed(spend_daily, settings), _told(progress_daily)
    silent = billed.anti_join(told, same_keys(billed, told, KEYS)).select(billed.columns)
    unpaid = told.anti_join(billed, same_keys(told, billed, KEYS)).select(told.columns)
    pairs = _pairs(silent, _marked(told, unpaid), billed, settings)
    of_bill = _silent(_paired(silent, pairs, "billed", "told"), progress_daily)
    of_progress = _unpaid(_paired(unpaid, pairs, "told", "billed"), spend_daily)
    columns = list(MARTS["unmatched_runs"])
    return of_bill.select(columns).union(of_progress.select(columns))


def _billed(spend: ir.Table, settings: Settings) -> ir.Table:
    rows = spend.filter(spend.run.notnull())
    return rows.group_by(*KEYS).agg(
        first_day=rows.date.min(),
        last_day=rows.date.max(),
        cost=known_sum(rows[f"{settings.cost.basis}_cost"]),
        accelerator_hours=rows.accelerator_hours.sum().cast(NUMBER),
    )


def _told(progress: ir.Table) -> ir.Table:
    return progress.group_by(*KEYS).agg(
        first_day=progress.date.min(),
        last_day=progress.date.max(),
        epochs=progress.epochs.sum().cast(NUMBER),
    )


def _marked(told: ir.Table, unpaid: ir.Table) -> ir.Table:
    """Every run of progress, and whether the bill has it under its own name."""
    missing = unpaid.select(*KEYS, missing=True)
    named = missing.rename(workload_of="workload", run_of="run")
    joined = told.left_join(named, same_keys(told, named, KEYS, "_of"))
    return joined.select(*told.columns, paid=joined.missing.isnull())


def _pairs(silent: ir.Table, told: ir.Table, billed: ir.Table, settings: Settings) -> ir.Table:
    """Each two runs whose names are alike, with how many others each is like, and the rule."""
    left = silent.select(
        *(silent[name].name(f"billed_{name}") for name in (*KEYS, "first_day", "last_day")),
        word=_word(silent),
    )
    right = told.select(
        *(told[name].name(f"told_{name}") for name in (*KEYS, "first_day", "last_day")),
        word=_word(told),
        paid=told.paid,
    )
    both = left.inner_join(right, "word").filter(_meet, _names_alike)
    of_bill = ibis.window(group_by=["billed_workload", "billed_run"])
    of_progress = ibis.window(group_by=["told_workload", "told_run"])
    each = both.mutate(
        billed_others=both.count().over(of_bill), told_others=both.count().over(of_progress)
    )
    owners = billed.group_by(owned="run").agg(owners=billed.count())
    each = each.join(owners, each.billed_run == owners.owned)
    return each.mutate(tag_rule=_rule(each, settings))


def _word(runs: ir.Table) -> ir.StringValue:
    """The last word of a name: alike names share it, so few are held against each other."""
    return runs.run.lower().re_extract(LAST_WORD, 1)


def _meet(both: ir.Table) -> ir.BooleanValue:
    day = ibis.interval(days=1)
    return (both.billed_first_day <= both.told_last_day + day) & (
        both.billed_last_day >= both.told_first_day - day
    )


def _names_alike(both: ir.Table) -> ir.BooleanValue:
    workload = _alike(both.billed_workload, both.told_workload)
    same = _plain(both.billed_run) == _plain(both.told_run)
    return _alike(both.billed_run, both.told_run) & workload & (same | ~both.paid)


def _alike(one: ir.StringValue, other: ir.StringValue) -> ir.BooleanValue:
    a, b = _plain(one), _plain(other)
    return (a == b) | a.endswith(ibis.literal("-") + b) | b.endswith(ibis.literal("-") + a)


def _plain(name: ir.StringValue) -> ir.StringValue:
    """But for case and separators."""
    return name.lower().re_replace(SEPARATORS, "-")


def _rule(each: ir.Table, settings: Settings) -> ir.StringValue:
    """Corrects the bill to what progress says; a workload's name once for all of its runs."""
    same_run = each.billed_run == each.told_run
    same_owner = each.billed_workload == each.told_workload
    begins = each.billed_first_day.min().over(ibis.window(group_by="billed_workload"))
    by_owner = _text(settings.tags.workload, each.billed_workload, begins)
    by_run = _text(settings.tags.run, each.billed_run, each.billed_first_day)
    owner = ibis.literal('workload = "') + each.told_workload + ibis.literal('"\n')
    run = ibis.literal('run = "') + each.told_run + ibis.literal('"\n')
    rule = ibis.cases(
        (same_run, by_owner[0] + owner + by_owner[1]),
        (same_owner, by_run[0] + run + by_run[1]),
        else_=by_run[0] + run + owner + by_run[1],
    )
    only = (each.billed_others == 1) & (each.told_others == 1) & (each.owners == 1)
    names = (each.billed_run, each.told_run, each.billed_workload, each.told_workload)
    plain = ibis.and_(*(~name.re_search(UNQUOTED) for name in names))
    return ibis.ifelse(only & plain, rule, None)


def _text(
    key: str, value: ir.StringValue, since: ir.DateValue
) -> tuple[ir.StringValue, ir.StringValue]:
    """How a rule begins and ends."""
    quoted = key.replace("\\", "\\\\").replace('"', '\\"')
    begin = ibis.literal(f'[[tag_rules]]\nmatch = {{ "{quoted}" = "') + value + '" }\n'
    return begin, ibis.literal("from = ") + since.strftime("%Y-%m-%d") + "\n"


def _paired(runs: ir.Table, pairs: ir.Table, own: str, other: str) -> ir.Table:
    """Runs with the one that each is like, or with how many there are."""
    found = pairs.group_by(workload=pairs[f"{own}_workload"], run=pairs[f"{own}_run"]).agg(
        lone=((pairs.billed_others == 1) & (pairs.told_others == 1)).arbitrary(),
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


def _silent(runs: ir.Table, progress: ir.Table) -> ir.Table:
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


def _unpaid(runs: ir.Table, spend: ir.Table) -> ir.Table:
    bill = spend.agg(first=spend.date.min(), last=spend.date.max())
    rows = left_join(runs, _lost(runs, spend), KEYS)
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


def _lost(runs: ir.Table, spend: ir.Table) -> ir.Table:
    """Runs on whose days their workload has accelerator-hours that name no run."""
    bare = spend.filter(spend.run.isnull() & (spend.accelerator_hours > 0))
    days = bare.select("date", owner="workload")
    met = runs.inner_join(
        days, [runs.workload == days.owner, days.date >= runs.first_day, days.date <= runs.last_day]
    )
    return met.select(*KEYS).distinct().mutate(lost=True)
