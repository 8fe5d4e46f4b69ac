"""Reads hand-written lines by one format, in DuckDB, as a build reads delivered ones."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date, datetime
from functools import cache
from typing import Any

import ibis
import pyarrow as pa

from models.config.tags import Tags
from models.engine.sql import rendering
from models.engine.warehouse.scratch import scratch
from models.formats import line_faults
from models.formats.format import Format

ANSWER = {
    "observed_on": "date",
    "said_at": "timestamp",
    **dict.fromkeys(("account", "region", "operation", "item"), "string"),
}
SEEN = date(2026, 10, 31)
SAID = datetime.fromisoformat("2026-10-31T12:00:00")
PLAIN = Tags()
Lines = list[dict[str, Any]]


def answered(operation: str, *items: Mapping[str, Any], **other: object) -> Lines:
    """Lines of one API answer: an item each, of one account and region."""
    about = {"observed_on": SEEN, "said_at": SAID, "account": "1", "region": "us-east-1"}
    about |= {"operation": operation, **other}
    return [{**about, "item": json.dumps(item)} for item in items]


def rows(form: Format, lines: Lines, types: Mapping[str, str], tags: Tags = PLAIN) -> Lines:
    """The rows that lines are read as, in order."""
    key = (form.NAME, repr(tags), *types.items())  # tag rules cannot be hashed
    if key not in _of_tags:
        _of_tags[key] = _compiled(form, "rows", tags, types)
    return _found(_of_tags[key], lines, types)


def refused(form: Format, lines: Lines, types: Mapping[str, str]) -> list[str]:
    """Every refusal as it is shown: `problem: value (remedy)`."""
    faults = faults_of(form, lines, types)
    return [f"{fault['problem']}: {fault['value']} ({fault['remedy']})" for fault in faults]


def faults_of(form: Format, lines: Lines, types: Mapping[str, str]) -> Lines:
    """Every refusal, by its parts; what intake asks first, whether there is any, agrees."""
    faults = _found(_sql(form, "refusals", *types.items()), lines, types)
    assert is_refused(form, lines, types) == (len(faults) > 0)
    return faults


def is_refused(form: Format, lines: Lines, types: Mapping[str, str]) -> bool:
    """Whether there is any refusal, as intake asks first."""
    return bool(_found(_sql(form, "any refusal", *types.items()), lines, types))


def totals(form: Format, lines: Lines, types: Mapping[str, str]) -> Lines:
    """What the lines add up to, by account and month."""
    return _found(_sql(form, "totals", *types.items()), lines, types)


_of_tags: dict[object, str] = {}


@cache
def _sql(form: Format, what: str, *types: tuple[str, str]) -> str:
    """Compiled once for lines of the same columns."""
    return _compiled(form, what, PLAIN, dict(types))


def _compiled(form: Format, what: str, tags: Tags, types: Mapping[str, str]) -> str:
    lines = ibis.table(dict(types), name="lines")
    if what == "rows":
        return rendering.sql(form.rows(lines, tags))
    if what == "totals":
        return rendering.sql(form.totals(lines))
    refused = form.refusals(lines)
    return rendering.sql(refused if what == "refusals" else line_faults.any_faulty(refused))


def _found(sql: str, lines: Lines, types: Mapping[str, str]) -> Lines:
    held = pa.Table.from_pylist(lines, schema=ibis.schema(dict(types)).to_pyarrow())
    with scratch() as backend:
        backend.con.register("lines", held)
        found = backend.con.sql(f"SELECT * FROM ({sql}) ORDER BY ALL").to_arrow_table()
    return [dict(row) for row in found.to_pylist()]
