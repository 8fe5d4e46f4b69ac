"""Reads cost-allocation tags under CUR 2.0's spellings and gives them their FOCUS names.

`resource_tags` is a map (JSON text in CSV) whose keys AWS writes in lower case, `user_cost_center`
or `aws_autoscaling_group_name`: an underscore before a capital, never two in a row. `tags` holds
the same and more, with each key after its source, as `resourceTags/…`. Keys that were selected on
their own are columns, `resource_tags_user_run`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import ibis
import ibis.expr.types as ir

from models.config.tags import Tags
from models.formats import fields
from models.formats.json_fields import entry
from models.formats.tag_keys import cluster_keys, configured_keys, read_tag, without_prefix

FLAT = "resource_tags_"
"""How the column of a tag that was selected on its own begins."""
MAPS = ("resource_tags", "tags")
"""Of a line that has a tag in both the first counts. Months of one folder may have either."""


def focus_tags(lines: ir.Table, tags: Tags) -> dict[str, ir.Value]:
    """Returns the columns of the configured tags of CUR 2.0 lines, and of the map of all tags.

    The columns are those of tags that were read before (`read_tag`), for each configured key and
    each that names a cluster, and `Tags`.
    """
    keys = dict.fromkeys([*configured_keys(tags), *cluster_keys(tags)])
    values = {read_tag(key): _value(lines, key) for key in keys}
    return {**values, "Tags": fields.text(lines, *MAPS)}


def flat_columns(lines: ir.Table) -> list[str]:
    """Lists the columns that each hold one tag, for tags that the export selects individually."""
    return [name for name in lines.columns if name.startswith(FLAT)]


def _value(lines: ir.Table, key: str) -> ir.Value:
    names = _spellings(key)
    flat = [fields.text(lines, f"{FLAT}{name}") for name in names]
    sourced = [key, *(f"resourceTags/{name}" for name in names)]
    spelt = zip(MAPS, (names, sourced), strict=True)
    held = [
        entry(lines, column, name)
        for column, keys in spelt
        if column in lines.columns
        for name in keys
    ]
    return ibis.coalesce(*held, *flat)


def _spellings(key: str) -> list[str]:
    """Lists every way in which CUR 2.0 may spell a tag key: `CostCenter`, `user_cost_center`, ….

    A key that begins with `user_` may be the tag's own, or have AWS's prefix.
    """
    names = dict.fromkeys((key.removeprefix("user:"), without_prefix(key)))
    return list(dict.fromkeys(spelt for name in names for spelt in _spelt(name)))


def _spelt(name: str) -> Iterator[str]:
    own = "" if name.startswith("aws:") else "user_"
    for capital in (r"(?<=[a-z0-9])(?=[A-Z])", r"(?=[A-Z])"):
        plain = re.sub(r"[^a-z0-9]", "_", re.sub(capital, "_", name).lower())
        yield own + plain
        yield own + re.sub(r"_+", "_", plain).strip("_")
    yield from (f"user_{name}", f"user:{name}", name)
