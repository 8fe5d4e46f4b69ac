"""Refuses intervals that cannot be: a job that ends before it starts, 17 of 16 accelerators."""

from __future__ import annotations

from collections import defaultdict
from typing import cast

import ibis
import ibis.expr.types as ir

from models.contract import catalogue
from models.contract.schema import NUMBER
from models.formats import fields, line_faults, names
from models.formats.bill.plausible_dates import DAYS_AHEAD, FIRST_YEAR
from models.formats.line_faults import Fault

COUNTS = ("accelerators", "of", "cpus", "of_cpus", "share")
TIMES = ("held_from", "held_to", "queued_at", "observed_at")
NAMES = (
    "cluster", "account", "region", "resource", "pool", "node", "instance_type", "workload", "run",
    "job", "state",
)  # fmt: skip
REASONS = ("run", "drained", "down", "health_check", "maintenance")
ZONE = r":\d\d.*(Z|z|[+-](0\d|1[0-5])(:?[0-5]\d)?| ?UTC)\s*$"
"""A clock and a zone: the day of `2026-09-01` is none. Blanks around a time change nothing."""
INSTANCE_TYPE = r"^(ml\.)?[a-z][a-z0-9-]*\.[a-z0-9-]+$"
ACCELERATED = r"^(ml\.)?(p[0-9]|trn[0-9])"
"""Families of which the catalogue has every size."""
WITH_ZONE = "write it in UTC, as 2026-09-01T12:00:00Z"
OBJECT = "write a JSON object"
TYPED = "write it as EC2 does: trn1.32xlarge"


def refusals(lines: ir.Table) -> ir.Table:
    """Returns problem, value and remedy of each allocation with missing or impossible values."""
    return _refusals(lines, _unknown_type(lines))


def observed_refusals(lines: ir.Table) -> ir.Table:
    """Returns problem, value and remedy of each faulty allocation; instance types may be unknown.

    An instance type that the catalogue does not have is none: told by a scheduler or by AWS itself,
    it is no typing error but newer than the catalogue.
    """
    return _refusals(lines, _no_type(lines))


def _refusals(lines: ir.Table, wrong_type: Fault) -> ir.Table:
    shown = _whose(lines)
    number = "write a plain decimal number"
    return line_faults.faulty_lines(
        lines,
        [
            *(line_faults.missing(lines, name, shown) for name in ("cluster", "held_from")),
            line_faults.portfolio_name(lines, "workload"),
            *names.bad_names(lines, *NAMES),
            *(_no_time(lines, name) for name in TIMES),
            *(_without_zone(lines, name) for name in TIMES),
            *(_impossible(lines, name) for name in TIMES if name in lines.columns),
            *(line_faults.not_of_type(lines, name, NUMBER, number) for name in COUNTS),
            line_faults.not_of_type(lines, "attempt", "int64", "write a whole number"),
            line_faults.unreadable(lines, "labels", "json", OBJECT),
            _no_object(lines, "labels"),
            *(_negative(lines, name) for name in COUNTS if name in lines.columns),
            _ends_first(lines),
            _nowhere(lines, shown),
            wrong_type,
            _more_than_all(lines, "accelerators", ibis.coalesce(_count(lines, "of"), _has(lines))),
            _more_than_all(lines, "cpus", _count(lines, "of_cpus")),
            _more_than_all(lines, "share", ibis.literal(1).cast(NUMBER)),
            _unknown_reason(lines),
        ],
    )


def _whose(lines: ir.Table) -> ir.Value:
    """Returns words by which an incomplete line can be found: a column and its value (`job 17`)."""
    given = (
        ibis.literal(f"{name} ") + fields.text(lines, name)
        for name in ("job", "node", "resource", "cluster")
    )
    return ibis.coalesce(*given)


def _no_object(lines: ir.Table, name: str) -> Fault | None:
    """Makes the check that refuses JSON which is a list, a number or a text."""
    if name not in lines.columns:
        return None
    given = fields.text(lines, name)
    wrong = (~given.re_search(r"^\s*(\{|null\s*$)")).fill_null(False)
    return Fault(wrong, f"{name} is not a JSON object", given, OBJECT)


def _no_time(lines: ir.Table, name: str) -> Fault | None:
    """Makes the check that refuses text that is no time at all."""
    if name not in lines.columns or not lines[name].type().is_string():
        return None
    given = fields.text(lines, name)
    wrong = given.notnull() & given.try_cast("timestamp('UTC')").isnull()
    return Fault(cast(ir.BooleanValue, wrong), f"{name} is not a time", given, WITH_ZONE)


def _without_zone(lines: ir.Table, name: str) -> Fault | None:
    """Makes the check that refuses times given as text without a time zone."""
    if name not in lines.columns or not lines[name].type().is_string():
        return None
    given = fields.text(lines, name)
    wrong = (~given.re_search(ZONE)).fill_null(False)
    return Fault(wrong, f"{name} has no time zone", given, WITH_ZONE)


def _impossible(lines: ir.Table, name: str) -> Fault:
    """Makes the check that refuses times before AWS existed, or too far in the future.

    An interval is kept on each of its days: one to the year 9999 would be three million of them.
    """
    time = fields.timestamp(lines, name, attempt=True)
    ahead = time > ibis.now().cast("timestamp") + ibis.interval(days=DAYS_AHEAD)
    wrong = cast(ir.BooleanValue, ((time.year() < FIRST_YEAR) | ahead).fill_null(False))
    words = f"{name} is before {FIRST_YEAR} or more than {DAYS_AHEAD} days ahead"
    return Fault(wrong, words, fields.text(lines, name), "correct it, or leave an open end empty")


def _ends_first(lines: ir.Table) -> Fault:
    """Makes the check that refuses allocations that end, or were observed, before they start."""
    start = fields.timestamp(lines, "held_from", attempt=True)
    ends = ("held_to", "observed_at")
    end = ibis.coalesce(*(fields.timestamp(lines, name, attempt=True) for name in ends))
    wrong = cast(ir.BooleanValue, (end < start).fill_null(False))
    words = "an interval ends before it starts"
    times = [fields.text(lines, "held_from"), fields.text(lines, *ends)]
    shown = ibis.literal(" to ").join(times)
    job = fields.text(lines, "job")
    shown = ibis.coalesce(ibis.literal("job ") + job + ", " + shown, shown)
    return Fault(wrong, words, shown, "correct held_from, held_to or observed_at")


def _nowhere(lines: ir.Table, shown: ir.Value) -> Fault:
    """Makes the check that refuses allocations that name no resource, no instance type and no node.

    A node whose machine nobody knows is told, never guessed: it holds no line of the bill.
    """
    wrong = fields.text(lines, "resource", "instance_type", "node").isnull()
    words = "resource, instance_type and node are missing"
    return Fault(wrong, words, shown, "write one of them")


def _no_type(lines: ir.Table) -> Fault:
    given = fields.text(lines, "instance_type")
    wrong = ~given.re_search(INSTANCE_TYPE)
    return Fault(wrong.fill_null(False), "instance_type is none", given, TYPED)


def _unknown_type(lines: ir.Table) -> Fault:
    given = fields.text(lines, "instance_type")
    plain = given.re_replace(r"^ml\.", "")
    known = [entry.instance_type for entry in catalogue.accelerators()]
    listed = ~given.re_search(ACCELERATED) | plain.isin(known)
    wrong = ~(given.re_search(INSTANCE_TYPE) & listed)
    return Fault(wrong.fill_null(False), "instance_type is not known", given, TYPED)


def _count(lines: ir.Table, name: str) -> ir.Value:
    if name not in lines.columns:
        return ibis.null(NUMBER)
    return fields.text(lines, name).try_cast(NUMBER)


def _has(lines: ir.Table) -> ir.Value:
    """Returns how many accelerators the catalogue gives a machine of the line's type.

    One branch for each count, not for each type: DuckDB plans every branch for every file.
    """
    plain = fields.text(lines, "instance_type").re_replace(r"^ml\.", "")
    types: defaultdict[int, list[str]] = defaultdict(list)
    for entry in catalogue.accelerators():
        types[entry.accelerators].append(entry.instance_type)
    branches = [(plain.isin(each), ibis.literal(n).cast(NUMBER)) for n, each in types.items()]
    return ibis.cases(*branches, else_=ibis.null(NUMBER))


def _more_than_all(lines: ir.Table, name: str, of: ir.Value) -> Fault:
    wrong = cast(ir.BooleanValue, (_count(lines, name) > of).fill_null(False))
    shown = fields.text(lines, name) + " of " + of.cast("string").re_replace(r"\.0*$", "")
    return Fault(wrong, f"{name} is more than the machine has", shown, "correct one of the two")


def _negative(lines: ir.Table, name: str) -> Fault:
    wrong = cast(ir.BooleanValue, (_count(lines, name) < 0).fill_null(False))
    return Fault(wrong, f"{name} is negative", fields.text(lines, name), "write 0 or more")


def _unknown_reason(lines: ir.Table) -> Fault:
    given = fields.text(lines, "reason").lower()
    wrong = (~given.isin(REASONS)).fill_null(False)
    return Fault(wrong, "reason is not known", given, f"one of {', '.join(REASONS)}")
