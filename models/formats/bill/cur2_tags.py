"""Cost-allocation tags as CUR 2.0 writes them, under the names that FOCUS' reading asks for.

`resource_tags` is a map (JSON text in CSV) whose keys AWS lowers and spells `user_cost_center` or
`aws_autoscaling_group_name`; `tags` holds the same and more, each key after its source, as
`resourceTags/…`. Keys that were selected flat are columns, `resource_tags_user_cost_center`.
"""

from __future__ import annotations

import re
from typing import cast

import ibis
import ibis.expr.types as ir

from models.config.settings import Tags
from models.formats import fields

COLUMNS = ("resource_tags", "tags")
"""Where both were delivered, the first is read: `tags` repeats it."""


def asked(lines: ir.Table, tags: Tags) -> dict[str, ir.Value]:
    """Every tag that `fields.resolved_tags` looks for, and `Tags`, the whole map."""
    column = next((name for name in COLUMNS if name in lines.columns), None)
    values = {f"Tags.user:{key}": _value(lines, column, key) for key in fields.tag_keys(tags)}
    whole = lines[column] if column else ibis.null("string")
    return {**values, "Tags": cast(ir.Value, whole)}


def _value(lines: ir.Table, column: str | None, key: str) -> ir.Value:
    names = _spellings(key)
    flat = [fields.text(lines, f"resource_tags_{name}") for name in names]
    if column == "tags":
        names = [key, *(f"resourceTags/{name}" for name in names)]
    held = [fields.entry(lines, column, name) for name in names] if column else []
    return ibis.coalesce(*held, *flat)


def _spellings(key: str) -> list[str]:
    bare = next((key.removeprefix(p) for p in ("user:", "user_") if key.startswith(p)), key)
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", bare)
    plain = re.sub(r"[^a-z0-9]", "_", words.lower())
    own = plain if bare.startswith("aws:") else f"user_{plain}"
    return list(dict.fromkeys((own, f"user_{bare}", f"user:{bare}", bare)))
