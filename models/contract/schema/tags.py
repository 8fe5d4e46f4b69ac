"""Adds the configured extra tags to the columns of a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import ibis
import ibis.expr.schema as sch

from models.contract.schema.types import TAGS


def with_tags(columns: Mapping[str, str], extra: Iterable[str]) -> sch.Schema:
    """Returns a table's Ibis schema with one column `tag_<key>` per configured extra tag."""
    return ibis.schema(expanded(columns, extra))


def expanded(columns: Mapping[str, str], extra: Iterable[str]) -> dict[str, str]:
    """Returns a table's columns with one `tag_<key>` per extra tag in place of the placeholder."""
    found: dict[str, str] = {}
    for name, dtype in columns.items():
        if name == TAGS:
            found |= {f"tag_{key}": dtype for key in extra}
        else:
            found[name] = dtype
    return found
