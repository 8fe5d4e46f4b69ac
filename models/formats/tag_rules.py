"""Determines a line's workload and run: its tags, corrected by `[[tag_rules]]` (METHOD §2.6).

Rules apply when lines are read, so a new rule also corrects what was delivered long ago.
"""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Iterable
from typing import cast

import ibis
import ibis.expr.types as ir

from models.config.tags import Labels, TagRule, Tags
from models.contract.portfolio import PORTFOLIO
from models.formats.tag_keys import tag


def resolved_tags(
    lines: ir.Table, tags: Tags, started: ir.TimestampValue
) -> dict[str, ir.StringValue]:
    """Returns each line's workload and run, corrected by the tag rules, and its extra tags.

    Columns: `workload`, `run` and one `tag_<key>` per extra tag. The first `[[tag_rules]]` entry
    that matches replaces the line's own tag. A workload tag that says `(portfolio)`, the name of
    the sum of all workloads, counts as no tag.
    """
    rules = tags.rules if isinstance(tags, Labels) else ()
    workload = cast(ir.StringValue, tag(lines, tags.workload).nullif(PORTFOLIO))
    return {
        "workload": _corrected(lines, "workload", workload, rules, started),
        "run": _corrected(lines, "run", tag(lines, tags.run), rules, started),
        **{f"tag_{key}": tag(lines, key) for key in tags.extra},
    }


def _corrected(
    lines: ir.Table,
    name: str,
    given: ir.StringValue,
    rules: Iterable[TagRule],
    started: ir.TimestampValue,
) -> ir.StringValue:
    """Returns the workload or run of the first tag rule that matches, else the line's tag."""
    naming = [(_matches(lines, rule, started), rule) for rule in rules if getattr(rule, name)]
    if not naming:
        return given
    return cast(
        ir.StringValue,
        ibis.cases(*((match, getattr(rule, name)) for match, rule in naming), else_=given),
    )


def _matches(lines: ir.Table, rule: TagRule, started: ir.TimestampValue) -> ir.BooleanValue:
    """Whether a line's tags match all patterns of a tag rule, from the rule's date on.

    `*` in a pattern stands for any text.
    """
    matching = [
        tag(lines, key).re_search("^" + ".*".join(map(re.escape, glob.split("*"))) + "$")
        for key, glob in rule.match.items()
    ]
    if rule.since:
        matching.append(started.date() >= ibis.literal(rule.since))
    return cast(ir.BooleanValue, functools.reduce(operator.and_, matching).fill_null(False))
