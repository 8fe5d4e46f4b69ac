"""Renders as tables: pools by month, who occupied one, queue waits by chip, a pool's runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from dash import html
from dash.development.base_component import Component

from dashboard.address.links import clusters_address, run_address, runs_address, workload_path
from dashboard.address.view import View
from dashboard.pages.clusters.queries import SHOWN_RUNS, name_of
from dashboard.pages.clusters.wording import UNKNOWN_JOBS, pool_name, reason_name
from dashboard.widgets.attributes import data
from dashboard.widgets.indicators import hardware_name
from dashboard.widgets.tables.plain_table import Cell, listing
from dashboard.wording.format import cents, count, day, month_name, number, percent
from dashboard.wording.unknown import MISSING, UNKNOWN_AMOUNT

Row = dict[str, Any]
Waits = Mapping[tuple[str, str, str | None], Row]
NO_RUN = "without a run"


def months_table(rows: Sequence[Row], waits: Waits, view: View, whole: bool) -> Component:
    """Builds the table of pools by month: hours, cost; for readers of all workloads idle and waits.

    A reader with a limited scope sees what their workloads held and what is not settled of it.
    """
    if not whole:
        head = ("Pool", "Month", "Held, accel.-hours", "Cost, $", "Not settled, hours",
                "Not settled, $")  # fmt: skip
        own = [[*_pool(row, view), _hours(row["hours"]), _money(row["cost"]), *_open(row)]
               for row in rows]  # fmt: skip
        return listing("Pools by month", head, own, words=2)
    columns = (
        "Pool", "Month", "Accel.-hours", "Cost, $", "Idle, $", "Idle", "Unknown jobs, $",
        "Known", "Over-allocated, h", "Queue wait, median h", "Not settled, h",
        "Not settled, $",
    )  # fmt: skip
    return listing("Pools by month", columns, [_month(row, waits, view) for row in rows], words=2)


def _month(row: Row, waits: Waits, view: View) -> list[Cell]:
    settled = row["first_day"] is not None
    waited = waits.get((row["month"], row["cluster"], row["platform"]), {})
    return [
        *_pool(row, view),
        _hours(row["hours"]) if settled else UNKNOWN_AMOUNT,
        *(_money(row[name] if settled else None) for name in ("cost", "idle_cost")),
        _share(row["idle_hours"], row["hours"]),
        _money(row["unknown_cost"] if settled else None),
        _share(row["held_hours"], row["hours"]),
        _hours(row["over_allocated_hours"]) if settled else UNKNOWN_AMOUNT,
        _wait(waited.get("median")),
        *_open(row),
    ]


def _pool(row: Row, view: View) -> list[Cell]:
    href = clusters_address(view, name_of(row))
    link = html.A(pool_name(row), href=href, **data(go="clusters", stay="yes"))
    return [link, month_name(row["month"])]


def holders_table(rows: Sequence[Row], view: View, pool: str, whole: bool) -> Component:
    """Builds the table of hours and cost per holder of a pool: workload, unknown jobs, idle."""
    every = sum((row["hours"] for row in rows), Decimal(0))
    head = ("Who", "Accel.-hours", "Share", "Cost, $", "Not settled, $", "Runs", "Open")
    body: list[list[Cell]] = [
        [
            _who(row),
            _hours(row["hours"]),
            *([_share(row["hours"], every)] if whole else []),
            _money(row["cost"]),
            _money(row["open_cost"]) if row["open_hours"] else MISSING,
            number(row["runs"]) if row["workload"] else MISSING,
            _leads(row, view, pool),
        ]
        for row in rows
    ]
    shown = head if whole else tuple(title for title in head if title != "Share")
    return listing("Who held it", shown, body)


def _who(row: Row) -> Component | str:
    if row["workload"]:
        name = str(row["workload"])
        return html.A(name, href=workload_path(name), **data(carry="from to"))
    return UNKNOWN_JOBS if row["holding"] in ("held", "unknown") else _idle_name(row)


def _idle_name(row: Row) -> Component:
    mark = html.I(className="key idle")
    return html.Span([mark, f"Idle: {reason_name(row['holding']).lower()}"])


def _leads(row: Row, view: View, pool: str) -> Cell:
    if not row["workload"]:
        return ""
    name = str(row["workload"])
    here = html.A(
        "on this pool", href=clusters_address(view, pool, name), **data(go="clusters", stay="yes")
    )
    every = html.A("all runs", href=runs_address(view, name), **data(go="runs"))
    return html.Span([here, " · ", every], className="leads")


def waits_table(rows: Sequence[Row]) -> Component:
    """Builds the table of how long jobs waited from submission to start, by chip."""
    head = ("Chip", "Jobs", "Wait known of", "Median, h", "9 of 10 within, h", "Longest, h")
    body: list[list[Cell]] = [
        [
            hardware_name(row["hardware"], f" · {row['platform']}" if row["platform"] else ""),
            number(row["jobs"]),
            number(row["timed"]),
            *(_wait(hours) for hours in (*(row["waited"] or (None, None)), row["longest"])),
        ]
        for row in rows
    ]
    return listing("Queue wait by chip", head, body)


def runs_table(rows: Sequence[Row]) -> Component:
    """Builds the table of the runs that occupied a pool, with their jobs and links to details."""
    head = (
        "Run", "Workload", "Jobs", "First day", "Last day", "Accel.-hours", "Cost, $", "Waited, h",
    )  # fmt: skip
    table = listing("Runs and their jobs", head, [list(_run(row)) for row in rows], words=3)
    found = rows[0]["found"] if rows else 0
    more = (
        f"The {SHOWN_RUNS} costliest of {found:,}; a workload above narrows them."
        if found > SHOWN_RUNS
        else None
    )
    return html.Div([table, html.P(more, className="note") if more else None])


def _run(row: Row) -> Iterator[Cell]:
    yield _run_link(row)
    yield html.A(row["workload"], href=workload_path(row["workload"]), **data(carry="from to"))
    yield _jobs(row)
    yield from (day(row["first_day"]), day(row["last_day"]))
    yield _hours(row["hours"])
    yield _money(row["cost"])
    yield _wait(row["waited"])


def _run_link(row: Row) -> Cell:
    if not row["run"]:
        return NO_RUN
    return html.A(row["run"], href=run_address(row["workload"], row["run"]), **data(go="runs"))


def _jobs(row: Row) -> str:
    """Returns a run's first job names and how many more it had; without names, only the number."""
    if not row["jobs"]:
        return MISSING
    names = [str(name) for name in row["names"] if name]
    if not names:
        return count(row["jobs"], "job")
    more = row["jobs"] - len(names)
    return ", ".join(names) + (f" and {more} more" if more else "")


def _hours(value: Decimal) -> str:
    return number(value, 1)


def _money(value: Decimal | None) -> Cell:
    return UNKNOWN_AMOUNT if value is None else cents(value)


def _share(part: Decimal, whole: Decimal) -> str:
    return percent(part / whole, 1) if whole else UNKNOWN_AMOUNT


def _wait(value: Decimal | float | None) -> str:
    return UNKNOWN_AMOUNT if value is None else number(value, 1)


def _open(row: Row) -> list[Cell]:
    """Returns two table cells: unsettled accelerator-hours and dollars of a pool's month."""
    if not row["unsettled_hours"]:
        return [MISSING, MISSING]
    return [_hours(row["unsettled_hours"]), _money(row["unsettled_cost"])]
