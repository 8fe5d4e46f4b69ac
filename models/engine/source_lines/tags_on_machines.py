"""Lists the tags on GPU and Trainium charges of delivered bills, for who writes a first config.

Whoever connects a bill rarely knows which of its tags name a model and a run. The bill knows, and
asking it is free.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

from ibis.backends.duckdb import Backend

from models.config.settings import Settings
from models.contract.catalogue import accelerators
from models.engine import cost_source
from models.engine.context import BuildContext
from models.engine.fleet import WORDS_OF_TYPE, type_pattern
from models.engine.reduction.delivered_files import (
    by_columns,
    create_lines_view,
    create_view,
)
from models.engine.warehouse import connection
from models.formats.tag_keys import without_prefix
from models.raw.delivery import Delivery
from models.raw.zone import RawZone

COLUMNS = ("Tags", "resource_tags", "tags")
"""Where FOCUS and CUR 2.0 have their tags."""
SOURCE_OF_KEY = "resourceTags/"
"""What CUR 2.0 puts before a key in its column `tags`."""
KEYS_TOGETHER, SHOWN_VALUES = 50, 3
"""Keys that one statement looks for: each is a column of its own."""
CHARGES = f"""
CREATE OR REPLACE TEMP TABLE held AS SELECT * FROM charges
WHERE EffectiveCost > 0 AND regexp_matches({WORDS_OF_TYPE}, ?)"""
TRAINING = [one.instance_type for one in accelerators() if one.hardware != "inferentia"]


class MachineTag(NamedTuple):
    """A tag key with the dollars of accelerators' charges that have it, and its costliest values.

    `dollars` is effective cost, `share` its part of all such charges; `distinct` is the number
    of values, of which `values` are at most three.
    """

    key: str
    dollars: Decimal
    share: Decimal
    distinct: int
    values: tuple[str, ...]


def tags_on_machines(settings: Settings) -> list[MachineTag]:
    """Lists the tag keys on GPU and Trainium charges of delivered bills, most dollars first.

    Empty where no bill was delivered, and for Cost Explorer, which tells only tags it is asked for.
    """
    bills = cost_source.bills_if_any(RawZone(settings.data / "raw").live(), settings)
    found: list[MachineTag] = []
    with connection.in_memory() as backend:
        keys = _keys(backend, bills)
        for first in range(0, len(keys), KEYS_TOGETHER):
            found += _tags(settings, backend, bills, keys[first : first + KEYS_TOGETHER])
    return sorted(found, key=lambda tag: (-tag.dollars, tag.key))


def _tags(
    settings: Settings, backend: Backend, bills: Sequence[Delivery], keys: Sequence[str]
) -> Iterator[MachineTag]:
    """Yields key, dollars and top values of those tag keys that GPU or Trainium charges have."""
    wide = settings.tags.model_copy(update={"extra": tuple(keys)})
    asked = settings.model_copy(update={"tags": wide})
    create_view(BuildContext.reading(asked, backend), "charges", bills)
    backend.con.execute(CHARGES, [type_pattern(TRAINING)])
    total = backend.con.execute("SELECT sum(EffectiveCost) FROM held").fetchall()[0][0]
    found = (_tag(backend, key, total) for key in keys if total)
    return (tag for tag in found if tag.distinct)


def _keys(backend: Backend, bills: Sequence[Delivery]) -> list[str]:
    """Lists the keys of all tags on delivered lines, without AWS's prefixes such as `user:`."""
    found: dict[str, None] = {}
    for number, (_, paths) in enumerate(by_columns(bills)):
        view = f"tagged_lines_{number}"
        create_lines_view(backend, view, paths)
        for key in _keys_of_lines(backend, view):
            found[without_prefix(key.removeprefix(SOURCE_OF_KEY))] = None
    by_case = {key.casefold(): key for key in sorted(found) if key}
    return list(by_case.values())


def _keys_of_lines(backend: Backend, view: str) -> Iterator[str]:
    """Yields the distinct keys of the tags of lines, whether a map, a struct or JSON text."""
    described = backend.con.execute(f"DESCRIBE {view}").fetchall()
    types = {column: kind for column, kind, *_ in described}
    column = next((name for name in COLUMNS if name in types), None)
    if column is None:
        return
    keys = f'CASE WHEN json_valid("{column}") THEN json_keys("{column}") END'
    if types[column].startswith("MAP"):
        keys = f'map_keys("{column}")'
    elif types[column].startswith("STRUCT"):
        keys = f'json_keys(to_json("{column}"))'
    rows = backend.con.execute(f"SELECT DISTINCT unnest({keys}) FROM {view} ORDER BY 1")
    yield from (str(key) for (key,) in rows.fetchall() if key)


def _tag(backend: Backend, key: str, total: Decimal) -> MachineTag:
    column = f'"tag_{key.replace(chr(34), chr(34) * 2)}"'
    rows = backend.con.execute(
        f"SELECT {column}, sum(EffectiveCost) FROM held WHERE {column} IS NOT NULL "
        "GROUP BY ALL ORDER BY 2 DESC, 1"
    ).fetchall()
    dollars = sum((amount for _, amount in rows), Decimal(0))
    values = tuple(str(value) for value, _ in rows[:SHOWN_VALUES])
    return MachineTag(key, dollars, dollars / total, len(rows), values)
