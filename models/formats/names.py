"""Refuses names of workloads, runs and accounts that could break a page, a file or a log.

A name of ten thousand characters hangs a browser, a line feed in one forges a line of a log.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import cast

import ibis.expr.datatypes as dt
import ibis.expr.types as ir

from models.formats import line_faults
from models.formats.json_fields import entry
from models.formats.line_faults import Fault

LONGEST = 256
"""Characters of a name: as many as AWS takes for the value of a tag."""
CONTROL = r"[\x00-\x1f\x7f-\x{9f}\x{2028}\x{2029}]"
"""Control characters, and what Unicode takes for the end of a line."""
ESCAPED = r"(?:^|[^\\])(?:\\\\)*\\(?:[bfnrt]|u00[0189][0-9a-fA-F]|u007[fF]|u202[89])"
LONG, ONE = r'"(?:[^"\\]|\\.){257,}"', r"\\u[0-9a-fA-F]{4}"
"""The same as JSON writes them; `ONE` is one character in six."""
REMEDY = "use at most 256 printable characters"


def bad_names(lines: ir.Table, *columns: str) -> Iterator[Fault]:
    """Yields `Fault`s that refuse names over 256 characters or with control characters.

    Columns that the delivery lacks are skipped.
    """
    for column in columns:
        if column in lines.columns:
            yield _bad_name(lines[column].cast("string"), column)


def bad_entries(lines: ir.Table, column: str, keys: Iterable[str]) -> Iterator[Fault]:
    """Yields `Fault`s that refuse overlong or unprintable names under keys of a map or JSON."""
    for key in keys:
        yield _bad_name(entry(lines, column, key), key)


def bad_tags(lines: ir.Table, *columns: str) -> Iterator[Fault]:
    """Yields `Fault`s that refuse overlong or unprintable values in columns of tags.

    A column is a map, JSON, or a structure with a field for each key, as pandas writes one.
    """
    for column in columns:
        if column not in lines.columns:
            continue
        held = lines[column]
        if held.type().is_struct():
            fields = cast(dt.Struct, held.type()).names
            values = [cast(ir.StructValue, held)[name].cast("string") for name in fields]
            yield from (_bad_name(value, column) for value in values)
        elif held.type().is_map():
            values = cast(ir.MapValue, held).values()
            bad = values.filter(lambda value: _is_bad(value.cast("string")))
            yield _fault((bad.length() > 0).fill_null(False), column, bad[0].cast("string"))
        elif held.type().is_string():
            text = cast(ir.StringValue, held)
            long = (text.length() > LONGEST) & text.re_replace(ONE, ".").re_search(LONG)
            wrong = long | text.re_search(CONTROL)
            wrong = wrong | (text.contains("\\") & text.re_search(ESCAPED))
            yield _fault(wrong.fill_null(False), column, text)


def _bad_name(text: ir.Value, name: str) -> Fault:
    return _fault(_is_bad(text).fill_null(False), name, text)


def _is_bad(text: ir.Value) -> ir.BooleanValue:
    name = cast(ir.StringValue, text)
    return cast(ir.BooleanValue, (name.length() > LONGEST) | name.re_search(CONTROL))


def _fault(wrong: ir.BooleanValue, name: str, value: ir.Value) -> Fault:
    problem = f"{name} is too long or has a control character {line_faults.SOMEWHERE}"
    return Fault(wrong, problem, value, REMEDY)
