"""Parses the query string of a page into the filters that the page shows.

A link carries all of them, so it shows a colleague exactly the same view.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Self

PERIODS = ("week", "month")
CURVES = ("net", "return", "months")
AXES = ("dollars", "hours", "clock")
BASES = ("configured", "list")
LAYOUTS = ("list", "pivot")
TIED = ("billed", "effective")

SHARE_DAYS = 90
LOSS_RUNS = 20
"""Most runs of each hardware in the loss chart, the newest: more could not be distinguished."""


@dataclass(frozen=True)
class View:
    """What a page's URL asks to show: days, filters, grouping, sort order; defaults for the rest.

    `curve` is what the curve of a move shows: net savings, its return by day, or by month. `where`
    holds conditions `dimension=value`; `by`, `then` and `group` name dimensions to compare or group
    by. `month` is a statement's month, `version` a close of it, and `against` the version to
    compare it with. `named` is a part of the names of runs, `run` the opened run, `workload` the
    workload of a number. `pool` is `cluster/instance type` of machines that jobs share. `sort` is
    `column:asc` or `column:desc`. `every` shows all workloads, not only the first ones. A
    dimension, workload or run named here may not exist, so its reader has to look it up
    (`dashboard.wording.dimensions`).
    """

    start: date | None = None
    end: date | None = None
    curve: str = "net"
    period: str = "month"
    axis: str = "dollars"
    basis: str = "configured"
    layout: str = "list"
    tied: str = "billed"
    where: tuple[str, ...] = ()
    by: str = "workload"
    then: str = "hardware"
    group: str = ""
    named: str = ""
    columns: tuple[str, ...] = ()
    sort: str = ""
    run: str = ""
    month: str = ""
    version: str = ""
    against: str = ""
    workload: str = ""
    every: str = ""
    pool: str = ""

    @classmethod
    def parse(cls, query: Mapping[str, Any] | None) -> Self:
        """Parses URL query parameters to a `View`; impossible dates and choices become defaults."""
        found = query or {}
        start, end = (_date(_text(found.get(name))) for name in ("from", "to"))
        if start and end and start > end:
            start, end = end, start
        return cls(
            start=start,
            end=end,
            curve=_one_of(_text(found.get("curve")), CURVES, cls.curve),
            period=_one_of(_text(found.get("period")), PERIODS, cls.period),
            axis=_one_of(_text(found.get("axis")), AXES, cls.axis),
            basis=_one_of(_text(found.get("basis")), BASES, cls.basis),
            layout=_one_of(_text(found.get("layout")), LAYOUTS, cls.layout),
            tied=_one_of(_text(found.get("tied")), TIED, cls.tied),
            where=_many(found.get("where")),
            by=_text(found.get("by")) or cls.by,
            then=_text(found.get("then")) or cls.then,
            group=_text(found.get("group")),
            named=_text(found.get("named")),
            columns=_many(found.get("columns")),
            sort=_text(found.get("sort")),
            run=_text(found.get("run")),
            month=_month(_text(found.get("month"))),
            version=_number(_text(found.get("version"))),
            against=_number(_text(found.get("against"))),
            workload=_text(found.get("workload")),
            every=_text(found.get("every")),
            pool=_text(found.get("pool")),
        )

    def sorted_by(self, sort: str) -> Self:
        """Returns a copy of a page's filters with another sort order."""
        return replace(self, sort=sort)

    @property
    def pool_parts(self) -> tuple[str, str]:
        """Returns cluster and instance type of the URL's pool; both empty where it names none."""
        cluster, _, instance_type = self.pool.rpartition("/")
        return cluster, instance_type

    @property
    def first(self) -> date:
        """Returns the first day of the page's date range; 1 Jan 1900 where the URL names none."""
        return self.start or date.min.replace(year=1900)

    @property
    def last(self) -> date:
        """Returns the last day of the page's date range; 31 Dec 9999 where the URL names none."""
        return self.end or date.max


def _date(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        return None


def _month(text: str) -> str:
    return text if _date(f"{text}-01") else ""


def _number(text: str) -> str:
    """Returns the text if it is a whole number of at most nine digits; else empty text."""
    return text if text.isascii() and text.isdigit() and len(text) < 10 else ""


def _one_of(text: str, choices: tuple[str, ...], default: str) -> str:
    return text if text in choices else default


def _text(value: object) -> str:
    """Returns a URL parameter as text; the last value where it is given several times."""
    return str(value[-1]) if isinstance(value, list) and value else str(value or "")


def _many(value: object) -> tuple[str, ...]:
    if isinstance(value, list):
        return tuple(dict.fromkeys(str(each) for each in value if each))
    return (str(value),) if value else ()
