"""Reading one delivered field: absent columns, `NULL` texts, amounts as text or double.

Shared by the formats so that each of them states only what its own fields mean.
"""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import cast

import ibis
import ibis.expr.datatypes as dt
import ibis.expr.types as ir

from models.config.settings import Labels, TagRule, Tags
from models.contract.schema import AMOUNT, PORTFOLIO

ROW = "file_row_number"
"""Where lines are numbered, from 0; only those of a refused file are."""
SOMEWHERE = "on a line"
LARGEST_LOSS = 1e15
"""Below what the emitter says for none (`emit.LARGEST`), also where a day's average holds it."""
TAG_PREFIXES = ("user:", "", "user_")
"""A cost-allocation tag `run` is delivered as `user:run`, `run` or `user_run`."""
TAG_COLUMNS = ("Tags", "AllocatedTags")
"""FOCUS 1.3: a charge that is split for those who share it has their own tags beside its own."""


def text(lines: ir.Table, *names: str) -> ir.StringValue:
    """The first of `names` that is delivered and says something; else null."""
    found = [said(lines[name].cast("string")) for name in names if name in lines.columns]
    return cast(ir.StringValue, ibis.coalesce(*found) if found else ibis.null("string"))


def first(lines: ir.Table, *names: str) -> ir.StringValue:
    """The first of `names` that the delivery has, as delivered."""
    found = (lines[name].cast("string") for name in names if name in lines.columns)
    return cast(ir.StringValue, next(found, _nothing()))


def amount(lines: ir.Table, name: str, dtype: str = AMOUNT) -> ir.DecimalValue:
    """A decimal amount; a delivered double is cast once, here (METHOD §2.3)."""
    if name not in lines.columns:
        return cast(ir.DecimalValue, ibis.null(dtype))
    column = lines[name]
    given = said(column) if column.type().is_string() else column
    return cast(ir.DecimalValue, given.cast(dtype))


def loss(given: ir.Value) -> ir.FloatingValue:
    """A delivered loss, `NaN` where it is no number: a run that diverged has told that it has.

    One beyond `LARGEST_LOSS` is none: the emitter says so by it, as CloudWatch takes neither `NaN`
    nor infinity.
    """
    number = given.cast("float64")
    # both engines hold NaN above every number
    return cast(ir.FloatingValue, ibis.ifelse(number.abs() > LARGEST_LOSS, float("nan"), number))


def instant(lines: ir.Table, name: str, *, attempt: bool = False) -> ir.TimestampValue:
    """A UTC time; text may carry a zone. With `attempt`, unreadable text is null."""
    if name not in lines.columns:
        return cast(ir.TimestampValue, ibis.null("timestamp"))
    column = lines[name]
    if not column.type().is_string():
        return cast(ir.TimestampValue, column.cast("timestamp"))
    given = said(column)
    zoned = given.try_cast("timestamp('UTC')") if attempt else given.cast("timestamp('UTC')")
    return cast(ir.TimestampValue, zoned.cast("timestamp"))


def entry(lines: ir.Table, column: str, key: str) -> ir.StringValue:
    """The value of one key of a delivered map or JSON object; empty and absent are null."""
    return said(delivered(lines, column, key))


def delivered(lines: ir.Table, column: str, key: str) -> ir.StringValue:
    """As `entry`, before it is read; condensed lines have it as `column.key`."""
    if f"{column}.{key}" in lines.columns:
        return cast(ir.StringValue, lines[f"{column}.{key}"])
    if column not in lines.columns:
        return _nothing()
    held = lines[column]
    if held.type().is_map():
        return cast(ir.StringValue, cast(ir.MapValue, held).get(key).cast("string"))
    if held.type().is_struct():
        known = key in cast(dt.Struct, held.type()).names
        return cast(ir.StringValue, held[key].cast("string")) if known else _nothing()
    return cast(ir.StringValue, json_text(said(held.cast("string")), key))


@ibis.udf.scalar.builtin  # type: ignore[untyped-decorator]  # Ibis does not annotate it
def json_text(text: str, key: str) -> str:  # type: ignore[empty-body]  # each engine has its own
    """The text under `key` of a JSON object given as text; see `models.engine.sql.compilers`."""


def tag(lines: ir.Table, key: str) -> ir.StringValue:
    """A cost-allocation tag's value, whichever way AWS or the config prefixed its key."""
    return said(delivered_tag(lines, key))


def delivered_tag(lines: ir.Table, key: str) -> ir.StringValue:
    """As `tag`, before it is read."""
    bare = next((key.removeprefix(p) for p in ("user:", "user_") if key.startswith(p)), key)
    names = dict.fromkeys(prefix + name for name in (key, bare) for prefix in TAG_PREFIXES)
    held = [column for column in TAG_COLUMNS if column == "Tags" or column in lines.columns]
    found = (delivered(lines, column, name) for column in held for name in names)
    return cast(ir.StringValue, ibis.coalesce(*found))


def tag_keys(tags: Tags) -> list[str]:
    """Every tag that `resolved_tags` asks for."""
    rules = tags.rules if isinstance(tags, Labels) else ()
    asked = (key for rule in rules for key in rule.match)
    return list(dict.fromkeys([tags.workload, tags.run, *tags.extra, *asked]))


def resolved_tags(
    lines: ir.Table, tags: Tags, started: ir.TimestampValue
) -> dict[str, ir.StringValue]:
    """`workload`, `run` and one `tag_<key>` per extra tag; the first `[[tag_rules]]` entry wins.

    A workload tag with the name of all workloads together says nothing: such a charge is untagged.
    """
    rules = tags.rules if isinstance(tags, Labels) else ()
    return {
        "workload": _ruled(lines, "workload", _owner(lines, tags), rules, started),
        "run": _ruled(lines, "run", tag(lines, tags.run), rules, started),
        **{f"tag_{key}": tag(lines, key) for key in tags.extra},
    }


def _owner(lines: ir.Table, tags: Tags) -> ir.StringValue:
    return cast(ir.StringValue, tag(lines, tags.workload).nullif(PORTFOLIO))


def _ruled(
    lines: ir.Table,
    name: str,
    given: ir.StringValue,
    rules: Iterable[TagRule],
    started: ir.TimestampValue,
) -> ir.StringValue:
    due = [(_matches(lines, rule, started), rule) for rule in rules if getattr(rule, name)]
    if not due:
        return given
    return cast(
        ir.StringValue,
        ibis.cases(*((match, getattr(rule, name)) for match, rule in due), else_=given),
    )


def _matches(lines: ir.Table, rule: TagRule, started: ir.TimestampValue) -> ir.BooleanValue:
    """Every key of the rule fits the line's tag, on or after the rule's date; `*` is anything."""
    held = [
        tag(lines, key).re_search("^" + ".*".join(map(re.escape, glob.split("*"))) + "$")
        for key, glob in rule.match.items()
    ]
    if rule.since:
        held.append(started.date() >= ibis.literal(rule.since))
    return cast(ir.BooleanValue, functools.reduce(operator.and_, held).fill_null(False))


@dataclass(frozen=True)
class Fault:
    """One thing that can be wrong with a line, and what to say then."""

    wrong: ir.BooleanValue
    problem: str
    value: ir.Value
    remedy: str


def faults(lines: ir.Table, checks: Iterable[Fault | None]) -> ir.Table:
    """`problem`, `value`, `remedy` of each line with a fault: its first, in one pass; its `ROW`.

    Lines are looked for by plain conditions: an engine then sees in a file's own statistics that
    most of them hold for no line, and does not read the column.
    """
    known = [check for check in checks if check]

    def said(word: Callable[[Fault], ir.Value]) -> ir.Value:
        return cast(ir.Value, ibis.cases(*((check.wrong, word(check)) for check in known)))

    wrong = functools.reduce(operator.or_, (check.wrong for check in known))
    numbers = {ROW: lines[ROW]} if ROW in lines.columns else {}
    return lines.filter(wrong).select(
        problem=said(lambda check: ibis.literal(check.problem)),
        value=said(lambda check: check.value.cast("string").fill_null("nothing")),
        remedy=said(lambda check: ibis.literal(check.remedy)),
        **numbers,
    )


def unreadable(lines: ir.Table, name: str, dtype: str, remedy: str) -> Fault | None:
    """Text in `name` that cannot be read as `dtype`; None if the column is not text."""
    if name not in lines.columns or not lines[name].type().is_string():
        return None
    given = said(lines[name])
    wrong = given.notnull() & given.try_cast(dtype).isnull()
    return Fault(wrong, f"{name} cannot be read", given, remedy)


def owned_by_all(lines: ir.Table, name: str) -> Fault:
    """A workload with the name of all workloads together: every sum would hold it twice."""
    given = text(lines, name)
    wrong = (given == PORTFOLIO).fill_null(False)
    problem = f"{name} is the name of all workloads together"
    return Fault(wrong, problem, given, "give the workload another name")


def missing(lines: ir.Table, name: str, beside: ir.Value) -> Fault:
    """A required field that a line leaves empty; `beside` tells which line."""
    column = lines[name]
    silent = column.isnull()
    if column.type().is_string():
        silent = silent | (column == "") | (column == "NULL")  # plainly: statistics know of these
    return Fault(silent, f"{name} is missing {SOMEWHERE}", beside, "deliver it again, whole")


def foreign(lines: ir.Table, name: str, currency: str) -> ir.BooleanValue:
    """Whether a line names another currency in `name`, or none.

    Asked plainly first: where every line says the same, a file's own statistics answer it.
    """
    given = cast(ir.StringValue, lines[name].cast("string"))
    other = (given != currency).fill_null(True) & (given.upper() != currency).fill_null(True)
    return cast(ir.BooleanValue, other)


def said(value: ir.Value) -> ir.StringValue:
    """Null where a source writes nothing or the text `NULL`."""
    return cast(ir.StringValue, value.nullif("").nullif("NULL"))


def _nothing() -> ir.StringValue:
    return cast(ir.StringValue, ibis.null("string"))
