"""Pairs runs of the bill with runs of progress whose names are alike, and writes the tag rule.

Two names are similar if they differ in case and separators only, or if one is the other with a
prefix (`team-a-run7`, `run7`), and if the days of the two overlap. A run of the bill may also be a
second spelling of a run that both know: then a part of that run's cost is missing. `tag_rule` is
text to paste into the config; nothing applies it. It is given only if each of the two is similar to
no other run, because a rule that takes two runs for one would assign cost to the wrong epochs.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings

KEYS = ("workload", "run")
SEPARATORS = "[^a-z0-9]+"
LAST_WORD = "([a-z0-9]+)[^a-z0-9]*$"
UNQUOTED = r'["\\*\n\r\t]'
"""What a rule cannot say plainly; `*` would match more than the one name."""


def similar_pairs(
    unreported: ir.Table, reported: ir.Table, billed: ir.Table, settings: Settings
) -> ir.Table:
    """Pairs billed with reported runs of similar names; adds a tag rule (text) to unique pairs."""
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
    """Returns the `[[tag_rules]]` text that renames a billed run as reported; null if ambiguous."""
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
    """Returns the text of a `[[tag_rules]]` entry before and after its assignments."""
    quoted = key.replace("\\", "\\\\").replace('"', '\\"')
    begin = ibis.literal(f'[[tag_rules]]\nmatch = {{ "{quoted}" = "') + value + '" }\n'
    return begin, ibis.literal("from = ") + since.strftime("%Y-%m-%d") + "\n"
