"""Applies `[[tag_rules]]` to the two tags in Cost Explorer's lines: workload and run."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.tags import Labels, TagRule, Tags
from models.formats import fields
from models.formats.tag_rules import resolved_tags


def with_tag_map(lines: ir.Table, tags: Tags) -> ir.Table:
    """Adds a map of the run and workload tags to Cost Explorer lines, if there are tag rules."""
    if not _rules(tags):
        return lines
    held = {tags.workload: "workload", tags.run: "run"}
    keys = ibis.array([ibis.literal(key) for key in held])
    values = ibis.array([fields.text(lines, name) for name in held.values()])
    return lines.mutate(Tags=ibis.map(keys, values))


def corrected_tags(
    lines: ir.Table, tags: Tags, day: ir.TimestampValue, negated: ir.BooleanValue
) -> dict[str, ir.Value]:
    """Returns the columns of workload and run by the tag rules; {} without rules.

    Null where a plan takes back what it covered (`negated`): the charge that this cancels is
    nobody's either, whatever a rule says of their usage type or account.
    """
    if not _rules(tags):
        return {}
    resolved = resolved_tags(lines, tags, day)
    return {name: ibis.ifelse(negated, None, resolved[name]) for name in ("workload", "run")}


def _rules(tags: Tags) -> tuple[TagRule, ...]:
    return tags.rules if isinstance(tags, Labels) else ()
