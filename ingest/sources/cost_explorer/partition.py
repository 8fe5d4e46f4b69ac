"""The requests by day that partition a bill, and the record types that tell one from another."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from ingest.sources.cost_explorer import control_totals
from ingest.sources.cost_explorer.lines import Line

RECORD_TYPE = "record_type"
USAGE, COVERED, REFUND, DISCOUNT = "usage", "covered", "refund", "discount"
CLASSES = (USAGE, COVERED, REFUND, DISCOUNT)


class Part(NamedTuple):
    """One of the requests by day."""

    request: str
    record_class: str
    groups: tuple[dict[str, str], dict[str, str]]
    filter: dict[str, Any]
    read: Callable[[list[str]], Line]

    def line(self, keys: list[str]) -> Line:
        """What a group's keys say."""
        named = {"request": self.request, "record_class": self.record_class or None}
        return named | self.read(keys)


def _class(record_type: str) -> str | None:
    """`SavingsPlanCoveredUsage`, `Savings Plan covered usage`: AWS writes both."""
    bare = re.sub(r"[^a-z]", "", record_type.lower())
    if bare.endswith(("coveredusage", "discountedusage")):
        return COVERED
    if bare.endswith(DISCOUNT):
        return DISCOUNT
    return bare if bare in (USAGE, REFUND) else None


def classes(pairs: pa.Table, types: Sequence[str]) -> dict[str, list[str]]:
    """The record types of each class that is asked for apart."""
    found = {name: [t for t in types if _class(t) == name] for name in CLASSES}
    found[USAGE] = found[USAGE] or ["Usage"]
    if not control_totals.gross(pairs):
        found[DISCOUNT] = []
    return found


def typed(types: Sequence[str]) -> dict[str, Any]:
    """A filter: these record types."""
    return {"Dimensions": {"Key": "RECORD_TYPE", "Values": list(types)}}


def tag(key: str) -> dict[str, str]:
    """A group key."""
    return {"Type": "TAG", "Key": key}


def dimension(key: str) -> dict[str, str]:
    """A group key."""
    return {"Type": "DIMENSION", "Key": key}


RECORDED = (dimension("RECORD_TYPE"), dimension("USAGE_TYPE"))


def others(asked: Sequence[str]) -> Part:
    """Of every record type that is not asked for apart."""
    return Part(RECORD_TYPE, "", RECORDED, {"Not": typed(asked)}, _rest)


def _rest(keys: list[str]) -> Line:
    return {"record_type": keys[0], "usage_type": keys[1]}


def account(keys: list[str]) -> Line:
    """What the keys of the check of an export say."""
    return {"request": "account", "linked_account": keys[0], "record_type": keys[1]}
