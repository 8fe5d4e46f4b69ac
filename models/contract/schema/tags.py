"""Adds the configured extra tags to the columns of a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import ibis
import ibis.expr.schema as sch

from models.contract.schema.types import TAGS


def with_tags(columns: Mapping[str, str], extra: Iterable[str]) -> sch.Schema:
    """Returns a table's Ibis schema, its placeholder `tag_*` replaced by columns of extra tags."""
    return ibis.schema(expanded(columns, extra))


def expanded(columns: Mapping[str, str], extra: Iterable[str]) -> dict[str, str]:
    """Returns column types with a `tag_<key>` per extra tag in place of the placeholder `tag_*`."""
    found: dict[str, str] = {}
    for name, dtype in columns.items():
        if name == TAGS:
            found |= {f"tag_{key}": dtype for key in extra}
        else:
            found[name] = dtype
    return found
