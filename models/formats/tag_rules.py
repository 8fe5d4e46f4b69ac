"""Determines a line's workload and run: its tags, corrected by `[[tag_rules]]` (METHOD §2.6).

Rules apply when lines are read, so a new rule also corrects what was delivered long ago.
"""

from __future__ import annotations

import functools
import operator
import re
from typing import cast

import ibis
import ibis.expr.types as ir

from models.config.tags import Labels, TagRule, Tags
from models.contract.portfolio import PORTFOLIO
from models.formats import fields
from models.formats.json_fields import entry
from models.formats.tag_keys import ACCOUNT, LABEL, RESOURCE, USAGE_TYPE, tag

COLUMNS = {
    RESOURCE: ("ResourceId", "resource"),
    ACCOUNT: ("SubAccountId", "BillingAccountId", "account"),
    USAGE_TYPE: ("x_UsageType", "SkuMeter", "usage_type"),
}
"""Keys of tag rules that are no tags, and the columns that they stand for."""


def resolved_tags(
    lines: ir.Table, tags: Tags, started: ir.TimestampValue
) -> dict[str, ir.StringValue]:
    """Returns the columns workload and run, corrected by the tag rules, and those of extra tags.

    Columns: `workload`, `run` and one `tag_<key>` per extra tag. The first `[[tag_rules]]` entry
    that matches replaces the line's own tag. A workload tag that says `(portfolio)`, the name of
    the sum of all workloads, counts as no tag.
    """
    workload = cast(ir.StringValue, tag(lines, tags.workload).nullif(PORTFOLIO))
    return {
        "workload": corrected(lines, "workload", workload, tags, started),
        "run": corrected(lines, "run", tag(lines, tags.run), tags, started),
        **{f"tag_{key}": tag(lines, key) for key in tags.extra},
    }


def corrected(
    lines: ir.Table,
    name: str,
    given: ir.StringValue,
    tags: Tags,
    started: ir.TimestampValue,
) -> ir.StringValue:
    """Returns the column of workload or run by the first tag rule that matches, else as given."""
    rules = tags.rules if isinstance(tags, Labels) else ()
    naming = [(_matches(lines, rule, started), rule) for rule in rules if getattr(rule, name)]
    if not naming:
        return given
    return cast(
        ir.StringValue,
        ibis.cases(*((match, getattr(rule, name)) for match, rule in naming), else_=given),
    )


def _matches(lines: ir.Table, rule: TagRule, started: ir.TimestampValue) -> ir.BooleanValue:
    """Whether a line matches every pattern of a tag rule, on a day on which the rule holds."""
    matching = [matches(lines, key, glob) for key, glob in rule.match.items()]
    if rule.since:
        matching.append(started.date() >= ibis.literal(rule.since))
    if rule.until:
        matching.append(started.date() <= ibis.literal(rule.until))
    return cast(ir.BooleanValue, functools.reduce(operator.and_, matching).fill_null(False))


def matches(lines: ir.Table, key: str, glob: str) -> ir.BooleanValue:
    """Returns the condition that one pattern of a tag rule fits a line; `*` stands for any text.

    Pre-aggregated lines hold the answer for a resource in a column of its own (`matched_column`),
    because a bill has too many resources to tell lines apart by them.
    """
    if matched_column(key, glob) in lines.columns:
        return cast(ir.BooleanValue, lines[matched_column(key, glob)])
    pattern = "^" + ".*".join(map(re.escape, glob.split("*"))) + "$"
    return cast(ir.BooleanValue, _value(lines, key).re_search(pattern))


def matched_column(key: str, glob: str) -> str:
    """Names the column of summed lines that stores whether a tag rule's pattern fits a line."""
    return f"{key} is {glob}"


def _value(lines: ir.Table, key: str) -> ir.StringValue:
    """Returns a line's value for a tag rule's key (a column, label or tag); null without one."""
    if key in COLUMNS:
        return fields.text(lines, *COLUMNS[key])
    if key.startswith(LABEL):
        return entry(lines, "labels", key.removeprefix(LABEL))
    return tag(lines, key)


def resource_matches(lines: ir.Table, tags: Tags) -> dict[str, ir.Value]:
    """Returns a boolean column per `resource` pattern of the tag rules: whether it fits a line."""
    rules = tags.rules if isinstance(tags, Labels) else ()
    globs = (rule.match[RESOURCE] for rule in rules if RESOURCE in rule.match)
    return {matched_column(RESOURCE, glob): matches(lines, RESOURCE, glob) for glob in globs}
