"""Defines the daily Cost Explorer requests that together make up a bill, by record type."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from ingest.sources.bill.cost_explorer import control_totals
from ingest.sources.bill.cost_explorer.lines import Line, tag_value

RECORD_TYPE = "record_type"
USAGE, COVERED, REFUND, DISCOUNT = "usage", "covered", "refund", "discount"
CLASSES = (USAGE, COVERED, REFUND, DISCOUNT)


class Part(NamedTuple):
    """One daily Cost Explorer request: grouping, filter, and how to read its group keys."""

    request: str
    record_class: str
    groups: tuple[dict[str, str], dict[str, str]]
    filter: dict[str, Any]
    read: Callable[[list[str]], Line]

    def line(self, keys: list[str]) -> Line:
        """Makes a bill line, without day and amounts, from the keys of one group of the answer."""
        named = {"request": self.request, "record_class": self.record_class or None}
        return named | self.read(keys)


def _class(record_type: str) -> str | None:
    """Returns a record type's class: usage, covered, refund or discount; None for any other.

    Usage with a word before it is what a commitment covered: `DiscountedUsage`, which the console
    calls `Reservation applied usage`.
    """
    bare = re.sub(r"[^a-z]", "", record_type.lower())
    if bare.endswith(USAGE) and bare != USAGE:
        return COVERED
    if bare.endswith(DISCOUNT):
        return DISCOUNT
    return bare if bare in (USAGE, REFUND) else None


def record_types_by_class(tag_totals: pa.Table, types: Sequence[str]) -> dict[str, list[str]]:
    """Groups Cost Explorer record types as usage, covered, refund or, if asked apart, discount.

    Others are left out; so are discounts, unless a month lacks net amounts. Usage is never empty.
    """
    found = {name: [t for t in types if _class(t) == name] for name in CLASSES}
    found[USAGE] = found[USAGE] or ["Usage"]
    if not control_totals.lacks_net_amounts(tag_totals):
        found[DISCOUNT] = []
    return found


def record_type_filter(types: Sequence[str]) -> dict[str, Any]:
    """Returns a Cost Explorer filter for some record types."""
    return {"Dimensions": {"Key": "RECORD_TYPE", "Values": list(types)}}


def without_tag(key: str) -> dict[str, Any]:
    """Returns a Cost Explorer filter for charges that lack a tag."""
    return {"Tags": {"Key": key, "MatchOptions": ["ABSENT"]}}


def tag_group(key: str) -> dict[str, str]:
    """Returns the Cost Explorer group definition of a tag."""
    return {"Type": "TAG", "Key": key}


def dimension_group(key: str) -> dict[str, str]:
    """Returns the Cost Explorer group definition of a dimension."""
    return {"Type": "DIMENSION", "Key": key}


RECORDED = (dimension_group("RECORD_TYPE"), dimension_group("USAGE_TYPE"))


def parts(
    tag_totals: pa.Table, types: Sequence[str], workload_key: str, run_key: str
) -> list[Part]:
    """Returns the Cost Explorer requests by day that together make up the bill of some months.

    The months are those of `tag_totals`; `types` are the record types that they have; the keys are
    those of both tags.
    """
    spent = {"run" if run else "workload" for run in tag_totals["run"].to_pylist()}
    if not spent:
        return []
    absent = without_tag(run_key)
    classes = record_types_by_class(tag_totals, types)
    found = [
        _tagged_part(request, key, name, values, tagged)
        for request, key, tagged in (
            ("run", run_key, {"Not": absent}),
            ("workload", workload_key, absent),
        )
        for name, values in classes.items()
        if request in spent and values
    ]
    in_classes = [name for values in classes.values() for name in values]
    if set(types) - set(in_classes):
        found.append(remaining_part(in_classes))
    return found


def _tagged_part(
    request: str, key: str, record_class: str, types: Sequence[str], tagged: dict[str, Any]
) -> Part:
    """Returns the daily request for one class of record types, by run or workload tag."""
    kinds = {REFUND: types[0], DISCOUNT: ", ".join(types)}
    kind = {"record_type": kinds[record_class]} if record_class in kinds else {}

    def read(keys: list[str]) -> Line:
        owner = {request: tag_value(key, keys[0])}
        return {"tag_key": key, "usage_type": keys[1], **owner, **kind}

    groups = (tag_group(key), dimension_group("USAGE_TYPE"))
    return Part(request, record_class, groups, {"And": [record_type_filter(types), tagged]}, read)


def remaining_part(record_types: Sequence[str]) -> Part:
    """Returns the Cost Explorer request by day for all record types except the given ones."""
    return Part(
        RECORD_TYPE, "", RECORDED, {"Not": record_type_filter(record_types)}, _remaining_line
    )


def _remaining_line(keys: list[str]) -> Line:
    return {"record_type": keys[0], "usage_type": keys[1]}


def account_line(keys: list[str]) -> Line:
    """Makes a bill line, without amounts, from a group by linked account and record type."""
    return {"request": "account", "linked_account": keys[0], "record_type": keys[1]}
