"""Reads a cost-allocation tag by its key, with or without AWS's `user:` prefix."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

import ibis
import ibis.expr.types as ir

from models.config.tags import Labels, Tags
from models.formats.json_fields import raw_entry
from models.formats.null_text import null_if_blank

TAG_PREFIXES = ("user:", "", "user_")
"""The tag `run` is delivered as `user:run`, `run` or `user_run`."""
TAG_COLUMNS = ("Tags", "AllocatedTags")
"""FOCUS 1.3 gives the parts of a split charge their owners' tags in `AllocatedTags`."""

RESOURCE, ACCOUNT, USAGE_TYPE, LABEL = "resource", "account", "usage_type", "label."
"""Keys of `match` in `[[tag_rules]]` that are no tags: columns of a charge, and labels of a job."""


def tag(lines: ir.Table, key: str) -> ir.StringValue:
    """Returns the column of a tag, null if empty or `NULL`; its key may begin with `user:`."""
    return null_if_blank(raw_tag(lines, key))


def raw_tag(lines: ir.Table, key: str) -> ir.StringValue:
    """Returns the column of a tag as delivered, even if empty; its key may begin with `user:`.

    Lines whose tags were read before (`pre_aggregation`) hold it in a column of its own.
    """
    if read_tag(key) in lines.columns:
        return cast(ir.StringValue, lines[read_tag(key)])
    held = [column for column in TAG_COLUMNS if column == "Tags" or column in lines.columns]
    found = [_first_of(lines, column, _delivered_keys(key)) for column in held]
    if len(found) > 1:  # a blank tag of the whole machine must not hide a part's own
        found = [null_if_blank(value) for value in found]
    return cast(ir.StringValue, ibis.coalesce(*found))


def may_bear(lines: ir.Table, key: str) -> ir.BooleanValue:
    """Whether a line may have a tag: true wherever it has, and on a few lines where it is blank.

    It is for what is asked of every line of a bill: `tag` takes longer, as it also decides which
    of several keys counts.
    """
    if read_tag(key) in lines.columns:
        return cast(ir.BooleanValue, lines[read_tag(key)].notnull())
    keys = _delivered_keys(key)
    found = [raw_entry(lines, column, name) for column in TAG_COLUMNS for name in keys]
    return cast(ir.BooleanValue, ibis.or_(*(value.notnull() for value in found)))


def _delivered_keys(key: str) -> list[str]:
    """Lists the keys under which AWS may deliver a tag; without a prefix if it is AWS's own."""
    prefixes = ("",) if key.startswith("aws:") else TAG_PREFIXES
    names = (prefix + name for name in (key, without_prefix(key)) for prefix in prefixes)
    return [*dict.fromkeys(names)]


def read_tag(key: str) -> str:
    """Returns `Tags.<key>`, the name of the column that holds a tag that was read before."""
    return f"Tags.{key}"


def _first_of(lines: ir.Table, column: str, names: Iterable[str]) -> ir.Value:
    """Returns a line's value of the first of several tag keys that it has; null without tags."""
    value = ibis.coalesce(*(raw_entry(lines, column, name) for name in names))
    if column not in lines.columns or not lines[column].type().is_map():
        return value
    return ibis.ifelse(cast(ir.MapValue, lines[column]).length() > 0, value, None)


def without_prefix(key: str) -> str:
    """Removes a leading `user:` or `user_` from a tag key: `user:run` becomes `run`."""
    return next((key.removeprefix(p) for p in ("user:", "user_") if key.startswith(p)), key)


def configured_keys(tags: Tags) -> list[str]:
    """Lists the config's tag keys of workload, run, extra tags and rules, but not of clusters."""
    rules = tags.rules if isinstance(tags, Labels) else ()
    matched = (key for rule in rules for key in rule.match if is_tag(key))
    return list(dict.fromkeys([tags.workload, tags.run, *tags.extra, *matched]))


def cluster_keys(tags: Tags) -> list[str]:
    """Lists the keys of tags that name a machine's cluster; [] if no allocations were delivered."""
    return [*tags.clusters] if isinstance(tags, Labels) else []


def is_tag(key: str) -> bool:
    """Whether a key in a tag rule's `match` is a tag's, not `resource`, `account` or the like."""
    return key not in (RESOURCE, ACCOUNT, USAGE_TYPE) and not key.startswith(LABEL)
