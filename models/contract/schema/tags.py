"""The columns of a table once the configured extra tags stand in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import ibis
import ibis.expr.schema as sch

from models.contract.schema.types import TAGS


def with_tags(columns: Mapping[str, str], extra: Iterable[str]) -> sch.Schema:
    """The schema with its tag columns, as an Ibis schema."""
    return ibis.schema(expanded(columns, extra))


def expanded(columns: Mapping[str, str], extra: Iterable[str]) -> dict[str, str]:
    """The columns with one `tag_<key>` per configured extra tag in the place of `TAGS`."""
    found: dict[str, str] = {}
    for name, dtype in columns.items():
        if name == TAGS:
            found |= {f"tag_{key}": dtype for key in extra}
        else:
            found[name] = dtype
    return found
