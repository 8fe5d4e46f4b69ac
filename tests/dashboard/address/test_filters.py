"""Addresses that anyone may have typed: what is read, what is dropped, and what links carry."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from dash._utils import to_json
from dash.development.base_component import Component
from hypothesis import given
from hypothesis import strategies as st

from dashboard.address.links import run_parameter
from dashboard.address.view import View
from dashboard.pages.runs.groups import run_groups
from dashboard.snapshot.rows_behind.work import RUNS
from dashboard.widgets.notices import notices
from dashboard.widgets.serialisation import to_plain
from dashboard.wording.dimensions import dimensions
from tests.support.dashboard.standings import STANDING

TAGGED = dimensions(["tag_team"])
WORDS = st.text("aé/&=?#%+ ;\"'\\-0129T<\u200f", max_size=12)
NAMES = WORDS.filter(bool)
PARAMETERS = st.sampled_from(["from", "to", *View.__dataclass_fields__])


@given(st.dictionaries(PARAMETERS, WORDS | st.lists(WORDS, max_size=3)))
def test_no_address_is_a_crash_or_a_range_that_runs_backwards(query: dict[str, Any]) -> None:
    view = View.parse(query)
    assert view.first <= view.last
    assert (view.period, view.axis) in [
        (period, axis) for period in ("week", "month") for axis in ("dollars", "hours", "clock")
    ]


@given(st.dates(), st.dates())
def test_two_days_are_a_range_in_either_order(one: date, other: date) -> None:
    query = {"from": one.isoformat(), "to": other.isoformat()}
    view = View.parse(query)
    assert (view.first, view.last) == (min(one, other), max(one, other))


def test_a_range_open_at_one_end_has_no_end() -> None:
    since = View.parse({"from": "2026-03-01"})
    assert (since.first, since.last) == (date(2026, 3, 1), date.max)
    assert View.parse({"to": "2026-03-01"}).first == date(1900, 1, 1)


@pytest.mark.parametrize(
    ("query", "field", "value"),
    [
        ({"from": "2026-02-30"}, "start", None),
        ({"to": "3000000-01-01"}, "end", None),
        ({"month": "2026-13"}, "month", ""),
        ({"month": "2026-10"}, "month", "2026-10"),
        ({"month": "2026-10-01"}, "month", ""),
        ({"month": "next"}, "month", ""),
        ({"basis": "LIST"}, "basis", "configured"),
        ({"layout": "pivot"}, "layout", "pivot"),
        ({"tied": "gross"}, "tied", "billed"),
        ({"by": ""}, "by", "workload"),
        ({"then": "none"}, "then", "none"),
        ({"period": ["month", "week"]}, "period", "week"),
        ({"period": []}, "period", "month"),
        ({"where": "hardware=gpu"}, "where", ("hardware=gpu",)),
        ({"where": ["a=1", "", "b=2", "a=1"]}, "where", ("a=1", "b=2")),
        ({"columns": None}, "columns", ()),
        ({"run": 7}, "run", "7"),
    ],
)
def test_each_parameter_is_read_or_is_its_default(
    query: dict[str, Any], field: str, value: object
) -> None:
    assert getattr(View.parse(query), field) == value


def test_another_order_changes_nothing_else() -> None:
    view = View.parse({"from": "2026-01-05", "where": ["hardware=gpu"], "sort": "cost:desc"})
    again = view.sorted_by("epochs:asc")
    assert (again.sort, again.sorted_by("cost:desc")) == ("epochs:asc", view)


@given(NAMES, NAMES)
def test_a_run_is_found_again_whatever_its_name(workload: str, run: str) -> None:
    assert RUNS.runs is not None
    view = View.parse({"run": run_parameter(workload, run)})
    assert RUNS.runs(view, TAGGED)[1] == {"of": workload, "run": run}


def address(component: Component) -> str:
    """The first link of a component, sent as the browser gets it."""
    sent = json.loads(to_json(to_plain(component)))
    return next(_links(sent))


def _links(node: Any) -> Iterator[str]:  # noqa: ANN401 - any JSON
    if isinstance(node, dict):
        if isinstance(node.get("href"), str):
            yield node["href"]
        node = [*node.values()]
    if isinstance(node, list):
        for each in node:
            yield from _links(each)


@given(value=WORDS, named=WORDS, start=st.none() | st.dates())
def test_the_link_of_a_group_shows_its_runs_with_the_filters_of_the_page(
    value: str, named: str, start: date | None
) -> None:
    view = View(
        start=start,
        where=("hardware=gpu", "tag_team=old"),
        named=named,
        columns=("run", "cost"),
        sort="cost:desc",
    )
    row = dict.fromkeys(("idle", "repeated", "unsettled", "cost", "epochs", "unit"))
    counts = {"value": value, "runs": 1, "workloads": 1, "unknown": 0}
    link = address(run_groups([row | counts], TAGGED["tag_team"], view))
    found = View.parse(parse_qs(urlsplit(link).query))
    assert found.where == ("hardware=gpu", f"tag_team={value}")
    assert (found.start, found.end, found.named) == (start, None, named)
    assert (found.columns, found.sort, found.group) == (("run", "cost"), "cost:desc", "")


def test_a_notice_leads_to_the_runs_that_it_speaks_of() -> None:
    row = STANDING | {"status": "not_comparable", "workload": "a&b=c", "parity": None}
    query = urlsplit(address(notices(row)[0])).query
    view = View.parse(parse_qs(query))
    assert view.where == ("hardware=trainium", "workload=a&b=c")
    assert (view.group, view.columns[:2]) == ("comparability", ("workload", "run"))
    everywhere = notices(row | {"workload": "(portfolio)"})[0]
    assert View.parse(parse_qs(urlsplit(address(everywhere)).query)).where == ("hardware=trainium",)
